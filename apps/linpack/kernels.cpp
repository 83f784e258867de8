#include "apps/linpack/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::linpack {
namespace {

constexpr std::int64_t worth_threads = 2048;  // rows

template <int rows, int columns>
inline void tile(std::int64_t k, Columnwise l, Columnwise u, Columnwise c) {
  double sum[columns][rows];
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) sum[j][i] = c.data[j * c.stride + i];
  for (std::int64_t p = 0; p < k; ++p)
    for (int j = 0; j < columns; ++j) {
      const double factor = u.data[j * u.stride + p];
#pragma omp simd
      for (int i = 0; i < rows; ++i) sum[j][i] -= l.data[p * l.stride + i] * factor;
    }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) c.data[j * c.stride + i] = sum[j][i];
}

template <int rows>
inline void strip(std::int64_t n, std::int64_t k, Columnwise l, Columnwise u, Columnwise c) {
  std::int64_t j = 0;
  for (; j + 4 <= n; j += 4)
    tile<rows, 4>(k, l, {u.data + j * u.stride, u.stride}, {c.data + j * c.stride, c.stride});
  for (; j < n; ++j)
    tile<rows, 1>(k, l, {u.data + j * u.stride, u.stride}, {c.data + j * c.stride, c.stride});
}

template <int count>
void subtract_some(std::int64_t m, Columnwise l, const double* factors, double* target) {
#pragma omp parallel for simd if (m > worth_threads)
  for (std::int64_t i = 0; i < m; ++i) {
    double value = target[i];
    for (int p = 0; p < count; ++p) value -= l.data[p * l.stride + i] * factors[p];
    target[i] = value;
  }
}

std::int64_t first_largest(std::int64_t m, const double* values) {
  double most = -1.0;
#pragma omp simd reduction(max : most)
  for (std::int64_t i = 0; i < m; ++i) most = std::max(most, std::abs(values[i]));
  for (std::int64_t i = 0; i < m; ++i)
    if (std::abs(values[i]) == most) return i;
  return m > 0 ? 0 : -1;  // nothing but NaN
}

}  // namespace

void subtract_product(std::int64_t m, std::int64_t n, std::int64_t k, Columnwise l, Columnwise u,
                      Columnwise c) {
  constexpr int rows = 8;
  const std::int64_t tiled = m / rows * rows;
#pragma omp parallel for if (m > worth_threads)
  for (std::int64_t i = 0; i < tiled; i += rows)
    strip<rows>(n, k, {l.data + i, l.stride}, u, {c.data + i, c.stride});
  for (std::int64_t i = tiled; i < m; ++i)
    strip<1>(n, k, {l.data + i, l.stride}, u, {c.data + i, c.stride});
}

void solve_unit_lower(std::int64_t k, std::int64_t n, Columnwise l, Columnwise b) {
  for (std::int64_t j = 0; j < n; ++j) {
    double* column = b.data + j * b.stride;
    for (std::int64_t p = 0; p < k; ++p) {
      const double factor = column[p];
      const double* below = l.data + p * l.stride;
#pragma omp simd
      for (std::int64_t i = p + 1; i < k; ++i) column[i] -= below[i] * factor;
    }
  }
}

std::int64_t subtract_columns(std::int64_t m, int count, Columnwise l, const double* factors,
                              double* target) {
  switch (count) {
    case 0:
      break;
    case 1:
      subtract_some<1>(m, l, factors, target);
      break;
    case 2:
      subtract_some<2>(m, l, factors, target);
      break;
    case 3:
      subtract_some<3>(m, l, factors, target);
      break;
    case 4:
      subtract_some<4>(m, l, factors, target);
      break;
    case 5:
      subtract_some<5>(m, l, factors, target);
      break;
    case 6:
      subtract_some<6>(m, l, factors, target);
      break;
    default:
      subtract_some<7>(m, l, factors, target);
  }
  return first_largest(m, target);
}

}  // namespace hakaru::apps::linpack
