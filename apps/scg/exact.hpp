// The solution of the difference equations themselves, in closed form: a sine transform in one
// direction, and for each mode the two-point boundary value problem in the other.
#pragma once

#include <cstdint>
#include <vector>

namespace hakaru::apps::scg {

class ExactSolution {
 public:
  explicit ExactSolution(std::int64_t n);
  // u at the n points of row y, 0 <= y < n. n^2 / 2 multiplications.
  //   1 = sum over odd k of c_k sin(k pi x h),  c_k = 2 h cot(k pi h / 2)
  //   u(x, y) = sum over odd k of (h^2 c_k / mu_k) (1 - cosh(t_k (y - 1/(2 h))) / cosh(t_k / (2
  //   h)))
  //             sin(k pi x h),  mu_k = 4 sin^2(k pi h / 2), sinh(t_k / 2) = sqrt(mu_k) / 2,
  // with x, y = 1 ... n and h = 1 / (n + 1).
  std::vector<double> row(std::int64_t y) const;

 private:
  std::int64_t n_;
  std::vector<double> sine_;  // sin(pi i h) for 0 <= i < 2 (n + 1)
};

// Smallest eigenvalue of the five-point matrix with 4 on its diagonal: 8 sin^2(pi h / 2).
double smallest_eigenvalue(std::int64_t n);

}  // namespace hakaru::apps::scg
