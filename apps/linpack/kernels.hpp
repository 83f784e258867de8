// Loops over panels: few columns, many rows, stored by rows; a leaf of them by columns.
#pragma once

#include <cstdint>

namespace hakaru::apps::linpack {

// `stride` elements from row to row.
struct Rowwise {
  double* data;
  std::int64_t stride;
  Rowwise at(std::int64_t i, std::int64_t k) const { return {data + i * stride + k, stride}; }
};

// C (m x n) -= L (m x k) U (k x n).
void subtract_product(std::int64_t m, std::int64_t n, std::int64_t k, Rowwise l, Rowwise u,
                      Rowwise c);

// Solves L X = B in place of B (k x n), L unit lower triangular k x k.
void solve_unit_lower(std::int64_t k, std::int64_t n, Rowwise l, Rowwise b);

inline constexpr int widest_leaf = 8;
inline constexpr std::int64_t rows_worth_threads = 2048;

// target -= sum over the first `count` < widest_leaf columns of m rows, `stride` elements from
// column to column, of column times factor; then the first row whose |target| is largest.
// -1: no rows.
std::int64_t subtract_columns(std::int64_t m, int count, const double* columns, std::int64_t stride,
                              const double* factors, double* target);

}  // namespace hakaru::apps::linpack
