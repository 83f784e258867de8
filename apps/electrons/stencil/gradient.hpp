// What the current needs of an orbital, in one pass over it.
#pragma once

#include "apps/electrons/stencil/stencil.hpp"

namespace hakaru::apps::electrons {

struct GradientSums {
  // Of each axis sum_r Im conj(u) du/daxis, 1/bohr, with the first derivative of eighth order,
  //   du/daxis = sum_m d_m (u(r + m) - u(r - m)) / h.
  std::array<double, 3> gradient{};
  double norm = 0.0;  // sum_r |u|^2
};

// An orbital as in stencil.hpp. Summed over a periodic grid the points behind give what the points
// ahead give,
//   sum_r Im conj(u(r)) (u(r + m) - u(r - m)) = 2 sum_r Im conj(u(r)) u(r + m),
// so only those are read.
GradientSums gradient_sums(const Grid& grid, const Complex* in,
                           Variant variant = Variant::explicit_simd);

namespace stencil {

// Weights d_m of the first derivative.
inline constexpr double first_derivative[stencil_reach] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0,
                                                           -1.0 / 280.0};

// sum_r Im conj(u(r)) sum_m d_m u(r + m) of each axis, and the norm.
GradientSums sum_ahead_compiler(const Grid& grid, const Complex* in);
GradientSums sum_ahead_explicit(const Grid& grid, const Complex* in);

}  // namespace stencil
}  // namespace hakaru::apps::electrons
