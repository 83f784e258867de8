#include "apps/linpack/kernels.hpp"

// Blocks of vectors are arrays here, which vectors of unknown length cannot be in.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "native/base/aligned.hpp"

namespace hakaru::apps::linpack {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
const hn::ScalableTag<double> vector;
constexpr std::int64_t lanes = hn::MaxLanes(hn::ScalableTag<double>());
// Two vectors of sums a row: 24 of 32 registers, or 12 of 16.
constexpr int tile_rows = lanes >= 8 || HWY_ARCH_ARM ? 12 : 6;

// gcc reads an operand of several instructions from memory each time, and load ports are scarce.
template <typename Vector>
inline void loaded_once(Vector& loaded) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  asm("" : "+x"(loaded.raw));
#else
  (void)loaded;
#endif
}

// U by blocks of one vector's columns, each k x lanes without gaps.
void pack(std::int64_t k, std::int64_t blocks, Rowwise u, double* packed) {
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t p = 0; p < k; ++p, packed += lanes)
      std::copy_n(u.at(p, block * lanes).data, lanes, packed);
}

template <int rows, int vectors>
inline void tile(std::int64_t k, Rowwise l, const double* packed, Rowwise c) {
  hn::Vec<decltype(vector)> sums[rows][vectors], upper[vectors];
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < vectors; ++v) sums[i][v] = hn::LoadU(vector, c.at(i, v * lanes).data);
  for (std::int64_t p = 0; p < k; ++p) {
    for (int v = 0; v < vectors; ++v) upper[v] = hn::LoadU(vector, packed + (v * k + p) * lanes);
    for (int i = 0; i < rows; ++i) {
      auto factor = hn::Set(vector, l.data[i * l.stride + p]);
      loaded_once(factor);
      for (int v = 0; v < vectors; ++v) sums[i][v] = hn::NegMulAdd(factor, upper[v], sums[i][v]);
    }
  }
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < vectors; ++v) hn::StoreU(sums[i][v], vector, c.at(i, v * lanes).data);
}

// Columns that fill no tile.
inline void narrow(std::int64_t n, std::int64_t k, const double* l, Rowwise u, double* c) {
  for (std::int64_t p = 0; p < k; ++p) {
    const double factor = l[p], *upper = u.data + p * u.stride;
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) c[j] -= factor * upper[j];
  }
}

template <int rows>
inline void strip(std::int64_t n, std::int64_t k, Rowwise l, Rowwise u, const double* packed,
                  Rowwise c) {
  std::int64_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) tile<rows, 2>(k, l, packed + j * k, c.at(0, j));
  for (; j + lanes <= n; j += lanes) tile<rows, 1>(k, l, packed + j * k, c.at(0, j));
  if (j == n) return;
  for (int i = 0; i < rows; ++i)
    narrow(n - j, k, l.at(i, 0).data, u.at(0, j), c.at(i, j).data);
}

template <int count>
void subtract_some(std::int64_t m, const double* columns, std::int64_t stride,
                   const double* factors, double* target) {
#pragma omp parallel for simd if (m > rows_worth_threads)
  for (std::int64_t i = 0; i < m; ++i) {
    double value = target[i];
    for (int p = 0; p < count; ++p) value -= columns[p * stride + i] * factors[p];
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

void subtract_product(std::int64_t m, std::int64_t n, std::int64_t k, Rowwise l, Rowwise u,
                      Rowwise c) {
  static thread_local base::AlignedArray<double> packed;
  const std::int64_t blocks = n / lanes, tiled = m / tile_rows * tile_rows;
  const auto needed = static_cast<std::size_t>(blocks * lanes * k);
  if (packed.size() < needed) packed = base::AlignedArray<double>(needed);
  pack(k, blocks, u, packed.data());
  const double* const blocked = packed.data();
#pragma omp parallel for if (m > rows_worth_threads)
  for (std::int64_t i = 0; i < tiled; i += tile_rows)
    strip<tile_rows>(n, k, l.at(i, 0), u, blocked, c.at(i, 0));
  for (std::int64_t i = tiled; i < m; ++i) strip<1>(n, k, l.at(i, 0), u, blocked, c.at(i, 0));
}

void solve_unit_lower(std::int64_t k, std::int64_t n, Rowwise l, Rowwise b) {
  for (std::int64_t i = 1; i < k; ++i) narrow(n, i, l.at(i, 0).data, b, b.at(i, 0).data);
}

std::int64_t subtract_columns(std::int64_t m, int count, const double* columns, std::int64_t stride,
                              const double* factors, double* target) {
  switch (count) {
    case 0:
      break;
    case 1:
      subtract_some<1>(m, columns, stride, factors, target);
      break;
    case 2:
      subtract_some<2>(m, columns, stride, factors, target);
      break;
    case 3:
      subtract_some<3>(m, columns, stride, factors, target);
      break;
    case 4:
      subtract_some<4>(m, columns, stride, factors, target);
      break;
    case 5:
      subtract_some<5>(m, columns, stride, factors, target);
      break;
    case 6:
      subtract_some<6>(m, columns, stride, factors, target);
      break;
    default:
      subtract_some<7>(m, columns, stride, factors, target);
  }
  return first_largest(m, target);
}

}  // namespace hakaru::apps::linpack
