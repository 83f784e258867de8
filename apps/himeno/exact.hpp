// The exact solution of the benchmark's iteration, by which runs of any size and length are
// verified.
//
// With a = c = 1, a4 = 1/6, b = wrk1 = 0 and bnd = 1 one iteration is the damped Jacobi step p +=
// omega r, where r = (J - 1) p and J is the mean of the six neighbours. r obeys r_{m+1} = (1 -
// omega + omega J) r_m with zero boundary values, and r_1 = 1 / (3 (nz - 1)^2) everywhere, because
// the initial pressure is a parabola in z. In the sine modes (kx, ky, kz) the operator is diagonal:
//   mu = 1 - omega (2/3) (sin^2(theta_x/2) + sin^2(theta_y/2) + sin^2(theta_z/2)),  theta = pi k /
//   (N + 1), N interior points along the axis,
// and a constant 1 has the coefficient c_k = sqrt(2/(N+1)) cot(pi k / (2 (N+1))) for odd k, zero
// for even k. Hence after n iterations
//   gosa_n    = r_1^2 sum c_kx^2 c_ky^2 c_kz^2 mu^(2 (n-1))
//   sum of p  = sum of p_0 + omega r_1 sum c_kx^2 c_ky^2 c_kz^2 (1 - mu^n) / (1 - mu).
#pragma once

#include <cstdint>

#include "apps/himeno/problem.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::himeno {

struct Exact {
  parallel::ExactSum gosa;
  parallel::ExactSum pressure_sum;  // over the interior points
};

// The share of the sums that belongs to `part` of `parts`; the shares add up to the whole.
// O(interior points / 8 / parts), with OpenMP.
Exact exact_share(const Grid& grid, std::int64_t iterations, int part, int parts);

}  // namespace hakaru::apps::himeno
