// Loops over panels: few columns, many rows, stored by columns.
#pragma once

#include <cstdint>

namespace hakaru::apps::linpack {

// C (m x n) -= L (m x k) U (k x n), all by columns with these distances between columns.
struct Columnwise {
  double* data;
  std::int64_t stride;
};
void subtract_product(std::int64_t m, std::int64_t n, std::int64_t k, Columnwise l, Columnwise u,
                      Columnwise c);

// Solves L X = B in place of B (k x n), L unit lower triangular k x k.
void solve_unit_lower(std::int64_t k, std::int64_t n, Columnwise l, Columnwise b);

inline constexpr int widest_leaf = 8;

// target -= sum over the first `count` < widest_leaf columns l of l times factor, for m rows; then
// the first row whose |target| is largest. -1: no rows.
std::int64_t subtract_columns(std::int64_t m, int count, Columnwise l, const double* factors,
                              double* target);

}  // namespace hakaru::apps::linpack
