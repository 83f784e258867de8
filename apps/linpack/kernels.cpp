#include "apps/linpack/kernels.hpp"

// Blocks of vectors are arrays here, which vectors of unknown length cannot be in.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

namespace hakaru::apps::linpack {
namespace {

constexpr std::int64_t worth_threads = 2048;  // rows

namespace hn = hwy::HWY_NAMESPACE;
const hn::ScalableTag<double> vector;

// gcc reads an operand of several instructions from memory each time, and load ports are scarce.
template <typename Vector>
inline void loaded_once(Vector& loaded) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  asm("" : "+x"(loaded.raw));
#else
  (void)loaded;
#endif
}

// Two vectors of rows of `columns` columns.
template <int columns>
inline void tile(std::int64_t k, Columnwise l, Columnwise u, Columnwise c) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(vector));
  hn::Vec<decltype(vector)> upper[columns], lower[columns];
  for (int j = 0; j < columns; ++j) {
    upper[j] = hn::LoadU(vector, c.data + j * c.stride);
    lower[j] = hn::LoadU(vector, c.data + j * c.stride + lanes);
  }
  for (std::int64_t p = 0; p < k; ++p) {
    auto above = hn::LoadU(vector, l.data + p * l.stride);
    auto below = hn::LoadU(vector, l.data + p * l.stride + lanes);
    loaded_once(above);
    loaded_once(below);
    for (int j = 0; j < columns; ++j) {
      const auto factor = hn::Set(vector, u.data[j * u.stride + p]);
      upper[j] = hn::NegMulAdd(above, factor, upper[j]);
      lower[j] = hn::NegMulAdd(below, factor, lower[j]);
    }
  }
  for (int j = 0; j < columns; ++j) {
    hn::StoreU(upper[j], vector, c.data + j * c.stride);
    hn::StoreU(lower[j], vector, c.data + j * c.stride + lanes);
  }
}

inline void row(std::int64_t n, std::int64_t k, Columnwise l, Columnwise u, Columnwise c) {
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = c.data[j * c.stride];
    for (std::int64_t p = 0; p < k; ++p) sum -= l.data[p * l.stride] * u.data[j * u.stride + p];
    c.data[j * c.stride] = sum;
  }
}

inline void strip(std::int64_t n, std::int64_t k, Columnwise l, Columnwise u, Columnwise c) {
  std::int64_t j = 0;
  for (; j + 4 <= n; j += 4)
    tile<4>(k, l, {u.data + j * u.stride, u.stride}, {c.data + j * c.stride, c.stride});
  for (; j < n; ++j)
    tile<1>(k, l, {u.data + j * u.stride, u.stride}, {c.data + j * c.stride, c.stride});
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
  const std::int64_t rows = 2 * static_cast<std::int64_t>(hn::Lanes(vector));
  const std::int64_t tiled = m / rows * rows;
#pragma omp parallel for if (m > worth_threads)
  for (std::int64_t i = 0; i < tiled; i += rows)
    strip(n, k, {l.data + i, l.stride}, u, {c.data + i, c.stride});
  for (std::int64_t i = tiled; i < m; ++i)
    row(n, k, {l.data + i, l.stride}, u, {c.data + i, c.stride});
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
