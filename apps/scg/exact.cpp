#include "apps/scg/exact.hpp"

#include <cmath>
#include <numbers>

namespace hakaru::apps::scg {

ExactSolution::ExactSolution(std::int64_t n) : n_(n), sine_(2 * (n + 1)) {
  for (std::int64_t i = 0; i < 2 * (n + 1); ++i)
    sine_[i] = std::sin(std::numbers::pi * static_cast<double>(i) / static_cast<double>(n + 1));
}

std::vector<double> ExactSolution::row(std::int64_t y) const {
  const double h = 1.0 / static_cast<double>(n_ + 1);
  const double from_middle = std::abs(static_cast<double>(y + 1) - 0.5 / h);
  std::vector<double> u(n_, 0.0);
  for (std::int64_t k = 1; k <= n_; k += 2) {
    const double half_angle = 0.5 * std::numbers::pi * static_cast<double>(k) * h;
    const double s = std::sin(half_angle), t = 2.0 * std::asinh(s);
    const double a = t * from_middle, b = 0.5 * t / h;
    // cosh(a) / cosh(b) without overflow; 0 <= a < b
    const double ratio = std::exp(a - b) * (1.0 + std::exp(-2.0 * a)) / (1.0 + std::exp(-2.0 * b));
    const double amplitude = 2.0 * h / std::tan(half_angle) * h * h / (4.0 * s * s) * (1.0 - ratio);
    std::int64_t angle = 0;
    for (std::int64_t x = 0; x < n_; ++x) {
      angle += k;
      if (angle >= 2 * (n_ + 1)) angle -= 2 * (n_ + 1);
      u[x] += amplitude * sine_[angle];
    }
  }
  return u;
}

double smallest_eigenvalue(std::int64_t n) {
  const double s = std::sin(0.5 * std::numbers::pi / static_cast<double>(n + 1));
  return 8.0 * s * s;
}

}  // namespace hakaru::apps::scg
