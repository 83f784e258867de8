#include "apps/tomcatv/reference.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::tomcatv {
namespace {

struct Column {
  std::vector<double> side, middle;
  std::vector<Point> value;
};

// Residuals and coefficients of the inner points of column i.
Column column_of(const std::vector<Point>& z, std::int64_t n, std::int64_t i) {
  Column column{std::vector<double>(n), std::vector<double>(n), std::vector<Point>(n)};
  for (std::int64_t j = 1; j + 1 < n; ++j) {
    const Point* at = &z[i + n * j];
    const Point along_i = (at[1] - at[-1]) / 2.0, along_j = (at[n] - at[-n]) / 2.0;
    const double a = std::norm(along_j), b = std::norm(along_i);
    const double c = (along_i * std::conj(along_j)).real();
    const Point mixed = (at[n + 1] - at[n - 1] - at[1 - n] + at[-n - 1]) / 4.0;
    column.value[j] =
        a * (at[1] + at[-1] - 2.0 * at[0]) + b * (at[n] + at[-n] - 2.0 * at[0]) - 2.0 * c * mixed;
    column.side[j] = b;
    column.middle[j] = 2.0 * b + 2.0 * a / 0.98;
  }
  return column;
}

// From the last row to the first, then corrections from the first to the last.
std::vector<Point> corrections(Column column, std::int64_t n) {
  auto& [side, middle, value] = column;
  for (std::int64_t j = n - 3; j > 0; --j) {
    const double share = side[j] / middle[j + 1];
    middle[j] -= share * side[j + 1];
    value[j] += share * value[j + 1];
  }
  std::vector<Point> correction(n);
  for (std::int64_t j = 1; j + 1 < n; ++j)
    correction[j] = (value[j] + side[j] * correction[j - 1]) / middle[j];
  return correction;
}

}  // namespace

Reference reference_mesh(Map map, std::int64_t n, std::int64_t iterations) {
  Reference result{std::vector<Point>(static_cast<std::size_t>(n * n)), 0.0, 0.0};
  auto& z = result.mesh;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) z[i + n * j] = interpolated(map, n, i, j);
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    result.residual_x = result.residual_y = 0.0;
    std::vector<Point> corrected = z;
    for (std::int64_t i = 1; i + 1 < n; ++i) {
      const Column column = column_of(z, n, i);
      for (const Point& value : column.value) {
        result.residual_x = std::max(result.residual_x, std::abs(value.real()));
        result.residual_y = std::max(result.residual_y, std::abs(value.imag()));
      }
      const auto correction = corrections(column, n);
      for (std::int64_t j = 1; j + 1 < n; ++j) corrected[i + n * j] += correction[j];
    }
    z = std::move(corrected);
  }
  return result;
}

}  // namespace hakaru::apps::tomcatv
