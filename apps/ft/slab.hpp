// How an array of the grid lies in the ranks' memories: one axis divided into blocks, x fastest.
#pragma once

#include <cstdint>

#include "apps/ft/problem.hpp"

namespace hakaru::apps::ft {

struct Range {
  std::int64_t first, count;
};

// Blocks that differ by at most one.
inline Range share(std::int64_t n, int ranks, int rank) {
  const std::int64_t first = n * rank / ranks;
  return {first, n * (rank + 1) / ranks - first};
}

struct Slab {
  Grid grid;
  Axis divided;
  int ranks;

  Range range(int rank, Axis axis) const {
    return axis == divided ? share(grid.n[axis], ranks, rank) : Range{0, grid.n[axis]};
  }
  std::int64_t count(int rank, Axis axis) const { return range(rank, axis).count; }
  // Elements from a point to the next one along the axis. Rows and planes that are multiples of
  // 1 KiB are followed by a gap, or a line across them would meet the same cache sets again and
  // again.
  std::int64_t step(int rank, Axis axis) const {
    if (axis == along_x) return 1;
    const std::int64_t x = count(rank, along_x), row = x + (x % 64 == 0 ? 4 : 0);
    return axis == along_y ? row : row * count(rank, along_y) + (x % 64 == 0 ? 20 : 0);
  }
  std::int64_t elements(int rank) const { return step(rank, along_z) * count(rank, along_z); }
  double points(int rank) const {
    return static_cast<double>(count(rank, along_x)) * static_cast<double>(count(rank, along_y)) *
           static_cast<double>(count(rank, along_z));
  }
  // The largest share of any rank, so that arrays begin at the same address everywhere.
  std::int64_t most_elements() const {
    std::int64_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) most = std::max(most, elements(rank));
    return most;
  }
};

}  // namespace hakaru::apps::ft
