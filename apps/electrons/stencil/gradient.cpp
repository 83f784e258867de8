#include "apps/electrons/stencil/gradient.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/electrons/stencil/planes.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace stencil {
namespace {

// sum = sum_m d_m ahead_m, all as real numbers.
void add_rows(const double* const (&ahead)[stencil_reach], std::size_t numbers, double* sum) {
#pragma omp simd
  for (std::size_t i = 0; i < numbers; ++i)
    sum[i] = first_derivative[0] * ahead[0][i] + first_derivative[1] * ahead[1][i] +
             first_derivative[2] * ahead[2][i] + first_derivative[3] * ahead[3][i];
}

// Im sum conj(u) v
double imaginary_product(const double* u, const double* v, std::size_t points) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < points; ++i) sum += u[2 * i] * v[2 * i + 1] - u[2 * i + 1] * v[2 * i];
  return sum;
}

double square(const double* u, std::size_t numbers) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < numbers; ++i) sum += u[i] * u[i];
  return sum;
}

}  // namespace

GradientSums sum_ahead_compiler(const Grid& grid, const Complex* in) {
  const std::size_t rows = grid.points[1], points = grid.points[2], numbers = 2 * points;
  GradientSums result;
  std::vector<double> sum(numbers);
  PaddedRows padded(1, points);
  for_planes(grid, in, [&](const Plane& plane) {
    for (std::size_t y = 0; y < rows; ++y) {
      const double* row = plane.here + plane.rows[y];
      padded.fill(row);
      const double* ahead[3][stencil_reach];
      for (int m = 0; m < stencil_reach; ++m) {
        ahead[0][m] = plane.up[m] + plane.rows[y];
        ahead[1][m] = plane.here + plane.rows[y + m + 1];
        ahead[2][m] = padded.first() + 2 * (m + 1);
      }
      for (int axis = 0; axis < 3; ++axis) {
        add_rows(ahead[axis], numbers, sum.data());
        result.gradient[axis] += imaginary_product(row, sum.data(), points);
      }
      result.norm += square(row, numbers);
    }
  });
  return result;
}

}  // namespace stencil

GradientSums gradient_sums(const Grid& grid, const Complex* in, Variant variant) {
  stencil::require_reach(grid);
  GradientSums sums = variant == Variant::compiler ? stencil::sum_ahead_compiler(grid, in)
                                                   : stencil::sum_ahead_explicit(grid, in);
  for (int axis = 0; axis < 3; ++axis) sums.gradient[axis] *= 2.0 / grid.spacing_bohr[axis];
  return sums;
}

}  // namespace hakaru::apps::electrons
