// How the interior points are divided among ranks in one to three dimensions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/himeno/problem.hpp"
#include "native/base/parameters.hpp"
#include "native/base/share.hpp"

namespace hakaru::apps::himeno {

// Number of ranks along x, y, z.
using Ranks = std::array<int, 3>;

// Interior points of one rank along one axis: [first, first + count), counted from 0 on the
// boundary, so first >= 1.
using Range = base::Share;

// `part` of the interior of an axis with `points` points; parts differ by at most one point.
Range interior_part(std::int64_t points, int part, int parts);

// A rectangular set of interior points and the ranks beside it (-1 at the boundary of the grid).
struct Region {
  Range x, y, z;
  std::array<int, 3> below{-1, -1, -1}, above{-1, -1, -1};
};

// One face of a block's pressure array: `outer` x `inner` runs of `run` words. Ghost points of the
// axes before it travel along, so that exchanging x, then y, then z also fills the edges.
struct Face {
  std::int64_t outer, outer_stride, inner, inner_stride, run;
  std::int64_t words() const { return outer * inner * run; }
  bool contiguous() const { return outer * inner == 1; }
};

// Memory layout of the arrays of one rank, in words. A row holds the interior points along x with
// one ghost or boundary point on each side and is filled up to whole cache lines; a pressure array
// has a row and a plane of ghost points on each side.
struct Shape {
  std::int64_t x, y, z;       // interior points
  std::int64_t pitch, plane;  // words from row to row, from plane to plane
  std::int64_t word_bytes;

  Shape(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t word_bytes);
  std::int64_t rows() const { return y * z; }
  std::int64_t row_coefficients() const { return coefficient_count * pitch; }
  std::int64_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return k * plane + j * pitch + i;
  }
  std::int64_t pressure_words() const { return (z + 2) * plane; }
  std::int64_t memory_bytes() const {
    return word_bytes * (rows() * row_coefficients() + 2 * pressure_words());
  }
  Face face(int axis) const;
};

class Decomposition {
 public:
  Decomposition(const Grid& grid, const Ranks& ranks) : grid_(grid), ranks_(ranks) {}

  const Ranks& ranks() const { return ranks_; }
  int size() const { return ranks_[0] * ranks_[1] * ranks_[2]; }
  Region region(int rank) const;

 private:
  int rank_at(int x, int y, int z) const { return (z * ranks_[1] + y) * ranks_[0] + x; }
  Grid grid_;
  Ranks ranks_;
};

// What the user fixed: the number of axes that may be divided (0: free choice) and ranks along x,
// y, z (0: free choice).
struct Wish {
  int dimensions = 0;
  Ranks ranks{0, 0, 0};
};
Wish wish_of(const base::Parameters& parameters);

// Ranks along each axis, or {0, 0, 0} and the reason when no division fits. A number of dimensions
// gives the most even factors, most of them along z; free choice gives the fewest bytes, dividing
// the unit stride only when z and y do not suffice.
struct Choice {
  Ranks ranks{0, 0, 0};
  std::string refusal;
};
Choice choose_ranks(const Grid& grid, int ranks, const Wish& wish);

}  // namespace hakaru::apps::himeno
