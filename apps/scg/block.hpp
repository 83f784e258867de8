// The points of the plate that one rank holds, and the steps of diagonally scaled conjugate
// gradients on them. No MPI.
//
// Equation: 4 u_ij - u_{i-1,j} - u_{i+1,j} - u_{i,j-1} - u_{i,j+1} = h^2, h = 1 / (n + 1), u = 0 at
// the edges; A u = b. Scaled with the diagonal D = 4: D^-1/2 A D^-1/2 (D^1/2 u) = D^-1/2 b, so that
// the matrix has ones on the diagonal and -1/4 beside it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "native/base/aligned.hpp"

namespace hakaru::apps::scg {

// Ranks as a grid; rank = row * columns + column.
struct Grid {
  int rows = 1, columns = 1;
};

enum class Decomposition { rows, blocks };
// rows: one column; blocks: as near to a square as the divisors of `ranks` allow, more rows than
// columns.
Grid grid_of(int ranks, Decomposition decomposition);

struct Range {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

// Which points a rank holds; known without MPI. n x n points; rows and columns of blocks differ by
// at most one.
struct Block {
  std::int64_t n, first_row, rows, first_column, columns;
  int above, below, left, right;  // neighbours, -1 at the edge of the plate

  Block(std::int64_t n, int rank, Grid grid);

  // The points that need no neighbour's.
  Range inner_rows() const;
  Range inner_columns() const;
  std::int64_t inner_points() const { return inner_rows().size() * inner_columns().size(); }
};

// Where the search direction p lies in memory that neighbours write into: a halo row before and
// after the own rows; between rows there are words for the halo columns, the last of them to the
// left of a row, the first to the right of the row before. At the plate's edge they stay zero.
struct DirectionLayout {
  std::int64_t pitch, rows;

  explicit DirectionLayout(const Block& block);
  // Index of the first point of row y, -1 <= y <= rows.
  std::int64_t row(std::int64_t y) const { return (y + 1) * pitch + margin; }
  std::int64_t words() const { return (rows + 2) * pitch + margin; }

  static constexpr std::int64_t margin = 8;  // a cache line
};

class BlockVectors {
 public:
  // `direction` has DirectionLayout::words() zeroed doubles.
  BlockVectors(const Block& block, double* direction);

  // x = 0, r = p = b in scaled form. Returns this rank's part of r.r.
  double reset();
  // q = A p in scaled form for the points that need no neighbour's, then for the others.
  void multiply_inner();
  void multiply_frame();
  // After both: this rank's part of p.q.
  double product() const;
  // x += alpha p, r -= alpha q. Returns this rank's part of r.r.
  double advance(double alpha);
  // p = r + beta p
  void turn(double beta);

  // What each own row gave to the sum that was last computed; of whole rows the same bits on
  // whatever rank.
  std::span<const double> row_sums() const { return row_sums_; }

  const Block& block() const { return block_; }
  double* direction_row(std::int64_t y) { return direction_ + layout_.row(y); }
  // u and b - A u as the iteration holds them, unscaled.
  double solution(std::int64_t x, std::int64_t y) const { return 0.5 * x_[y * pitch_ + x]; }
  double residual(std::int64_t x, std::int64_t y) const { return 2.0 * r_[y * pitch_ + x]; }
  void damage() { x_[block_.columns / 2] += 1e-6; }

  // Operations and bytes of a point.
  static constexpr double multiply_flops = 7, advance_flops = 6, turn_flops = 2;
  static constexpr double multiply_bytes = 16, multiply_bytes_write_allocate = 24;
  static constexpr double advance_bytes = 48, turn_bytes = 24;
  static constexpr double reset_bytes = 24, reset_bytes_write_allocate = 48;

 private:
  void multiply(Range rows, Range columns);

  Block block_;
  DirectionLayout layout_;
  std::int64_t pitch_;
  double* direction_;
  base::AlignedArray<double> x_, r_, q_;
  std::vector<double> row_sums_;
};

}  // namespace hakaru::apps::scg
