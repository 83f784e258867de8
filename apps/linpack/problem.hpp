// What is solved and how: order, blocks, the grid of ranks, and who owns what.
//
// Blocks of nb x nb are dealt out to P x Q ranks in turn, by rows and by columns. The matrix is
// n x (n + 1): the right-hand side is its last column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "native/base/parameters.hpp"

namespace hakaru::apps::linpack {

// How a panel goes along a row of the grid; HPL's names.
enum class Route {
  ring,
  modified_ring,
  two_rings,
  modified_two_rings,
  spread,
  modified_spread,
  tree
};
// How rows change places along a column of the grid.
enum class Swap { binary_exchange, spread_roll };

struct Named {
  const char* name;
  Route route;
};
inline constexpr Named routes[] = {
    {"1ring", Route::ring},      {"1ring-modified", Route::modified_ring},
    {"2ring", Route::two_rings}, {"2ring-modified", Route::modified_two_rings},
    {"long", Route::spread},     {"long-modified", Route::modified_spread},
    {"binomial", Route::tree},
};

// Ranks p Q + q: rank 0 to Q - 1 are the first row.
struct Grid {
  int rows = 1, columns = 1;
  int row_of(int rank) const { return rank / columns; }
  int column_of(int rank) const { return rank % columns; }
};

// Indices below `length` that a place among so many has of a cyclic distribution of blocks; also
// the local index of the first own index that is not below `length`.
constexpr std::int64_t local_count(std::int64_t length, std::int64_t block, int place, int places) {
  const std::int64_t blocks = length / block, left = blocks % places;
  const std::int64_t last = place < left ? block : place == left ? length % block : 0;
  return blocks / places * block + last;
}

constexpr std::int64_t global_index(std::int64_t local, std::int64_t block, int place, int places) {
  return (local / block * places + place) * block + local % block;
}

struct Problem {
  std::int64_t n = 0, nb = 0;
  Grid grid;
  int look_ahead = 1;  // panels that are factorised ahead of the update: 0 or 1
  Route route = Route::modified_ring;
  Swap swap = Swap::spread_roll;
  std::int64_t panels = 0;  // that are eliminated; 0: all
  std::uint64_t seed = 1;

  std::int64_t steps() const {
    const std::int64_t all = (n + nb - 1) / nb;
    return panels == 0 ? all : std::min(panels, all);
  }
  bool whole() const { return steps() * nb >= n; }
  // First row and column of panel j; its width.
  std::int64_t begin(std::int64_t j) const { return std::min(n, j * nb); }
  std::int64_t width(std::int64_t j) const { return begin(j + 1) - begin(j); }
  int row_of(std::int64_t j) const { return static_cast<int>(j % grid.rows); }
  int column_of(std::int64_t j) const { return static_cast<int>(j % grid.columns); }
  // Own rows below, own columns (of n + 1) left of an index.
  std::int64_t rows_below(std::int64_t index, int row) const {
    return local_count(index, nb, row, grid.rows);
  }
  std::int64_t columns_below(std::int64_t index, int column) const {
    return local_count(index, nb, column, grid.columns);
  }
  // HPL's count 2/3 n^3 + 3/2 n^2; where only the first panels are eliminated, less the count of
  // what is left.
  double operations() const;
};

// P <= Q, as near to each other as they get.
Grid squarest(int ranks);
// p or q = 0: what the ranks leave to it. Rows 0: p x q are not the ranks.
Grid grid_of(std::int64_t p, std::int64_t q, int ranks);
Problem problem_of(const base::Parameters& parameters, int ranks);

// Columns of the matrix on one process column: local indices.
struct Columns {
  std::int64_t begin, end;
  std::int64_t count() const { return end - begin; }
};
// Right of panel j; `block`: those of panel j + 1 alone; `rest`: those behind it.
Columns right_of(const Problem& problem, std::int64_t j, int column);
Columns block_after(const Problem& problem, std::int64_t j, int column);
Columns rest_after(const Problem& problem, std::int64_t j, int column);

}  // namespace hakaru::apps::linpack
