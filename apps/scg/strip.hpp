// The rows of the grid that one rank holds, and the steps of diagonally scaled conjugate gradients
// on them. No MPI.
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

// Which rows a rank holds; known without MPI. n x n points, strips differ by at most one row.
struct Strip {
  std::int64_t n, first, rows;
  int above, below;  // ranks that hold the rows before and after; -1 at the edge of the plate

  Strip(std::int64_t n, int rank, int ranks);

  // Rows [inner_begin, inner_end) need no neighbour's row.
  std::int64_t inner_begin() const { return above >= 0 ? 1 : 0; }
  std::int64_t inner_end() const;
  std::int64_t inner_rows() const { return inner_end() - inner_begin(); }
};

// Where the search direction p lies in memory that neighbours write into: a halo row before and
// after the own rows; each row follows zeros, which are the plate's edge of its own and of the row
// before.
struct DirectionLayout {
  std::int64_t pitch, rows;

  explicit DirectionLayout(const Strip& strip);
  // Index of the first point of row y, -1 <= y <= rows.
  std::int64_t row(std::int64_t y) const { return (y + 1) * pitch + margin; }
  std::int64_t words() const { return (rows + 2) * pitch + margin; }

  static constexpr std::int64_t margin = 8;  // a cache line
};

class StripVectors {
 public:
  // `direction` has DirectionLayout::words() zeroed doubles.
  StripVectors(const Strip& strip, double* direction);

  // x = 0, r = p = b in scaled form. Returns this rank's part of r.r.
  double reset();
  // q = A p in scaled form for rows [begin, end). Returns their part of p.q.
  double multiply(std::int64_t begin, std::int64_t end);
  // The same for the rows that need a neighbour's.
  double multiply_frame();
  // x += alpha p, r -= alpha q. Returns this rank's part of r.r.
  double advance(double alpha);
  // p = r + beta p
  void turn(double beta);

  // What each own row gave to the sum that was last computed: the same bits on whatever rank.
  std::span<const double> row_sums() const { return row_sums_; }

  const Strip& strip() const { return strip_; }
  double* direction_row(std::int64_t y) { return direction_ + layout_.row(y); }
  // u and b - A u as the iteration holds them, unscaled.
  double solution(std::int64_t x, std::int64_t y) const { return 0.5 * x_[y * pitch_ + x]; }
  double residual(std::int64_t x, std::int64_t y) const { return 2.0 * r_[y * pitch_ + x]; }
  void damage() { x_[strip_.n / 2] += 1e-6; }

  // Operations and bytes of a point.
  static constexpr double multiply_flops = 7, advance_flops = 6, turn_flops = 2;
  static constexpr double multiply_bytes = 16, multiply_bytes_write_allocate = 24;
  static constexpr double advance_bytes = 48, turn_bytes = 24;
  static constexpr double reset_bytes = 24, reset_bytes_write_allocate = 48;

 private:
  Strip strip_;
  DirectionLayout layout_;
  std::int64_t pitch_;
  double* direction_;
  base::AlignedArray<double> x_, r_, q_;
  std::vector<double> row_sums_;
};

}  // namespace hakaru::apps::scg
