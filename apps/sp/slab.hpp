// How an array of the grid lies in the ranks' memories: one axis divided into blocks, x fastest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "apps/sp/problem.hpp"

namespace hakaru::apps::sp {

struct Range {
  std::int64_t first, count;
};

struct Slab {
  std::int64_t n;
  Axis divided;
  int ranks;

  // Blocks that differ by at most one.
  Range range(int rank, Axis axis) const {
    if (axis != divided) return {0, n};
    const std::int64_t first = n * rank / ranks;
    return {first, n * (rank + 1) / ranks - first};
  }
  std::int64_t count(int rank, Axis axis) const { return range(rank, axis).count; }
  // Own points that are not on the boundary; `first` counts from the first own point.
  Range inner(int rank, Axis axis) const {
    const Range all = range(rank, axis);
    const std::int64_t first = std::max<std::int64_t>(all.first, 1);
    return {first - all.first,
            std::max<std::int64_t>(0, std::min(all.first + all.count, n - 1) - first)};
  }
  // Points from one to the next along the axis. Planes are followed by a gap, or a line across them
  // would meet the same cache sets again and again.
  std::int64_t step(int rank, Axis axis) const {
    const std::int64_t row = count(rank, along_x);
    if (axis == along_x) return 1;
    return axis == along_y ? row : row * count(rank, along_y) + 9;
  }
  std::int64_t size(int rank) const { return step(rank, along_z) * count(rank, along_z); }
  // The largest share of any rank, so that arrays begin at the same address everywhere.
  std::int64_t most() const {
    std::int64_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) most = std::max(most, size(rank));
    return most;
  }
  double points(int rank) const {
    return static_cast<double>(count(rank, along_x) * count(rank, along_y) * count(rank, along_z));
  }
  double inner_points(int rank) const {
    return static_cast<double>(inner(rank, along_x).count * inner(rank, along_y).count *
                               inner(rank, along_z).count);
  }
};

// One one-dimensional stride of a move between arrays divided along different axes, in bytes from
// the beginning of the arrays.
struct Transfer {
  std::int64_t source, source_step, target, target_step, item_bytes, items;
  std::int64_t bytes() const { return item_bytes * items; }
};

struct Route {
  Slab from, to;
  Style style;
  std::int64_t element;  // B of a point
};

// Transfers between one pair of ranks. published: a line along the third axis for each pair of
// planes. direct (third axis x): rows, one transfer for each plane of the sender.
template <typename Visit>
void visit_pair(const Route& route, int sender, int receiver, const Visit& visit) {
  const Axis a = route.from.divided, b = route.to.divided, c = static_cast<Axis>(3 - a - b);
  const Range mine = route.from.range(sender, a), theirs = route.to.range(receiver, b);
  const std::int64_t e = route.element, n = route.from.n;
  for (std::int64_t i = 0; i < mine.count; ++i) {
    const std::int64_t source = i * route.from.step(sender, a);
    const std::int64_t target = (mine.first + i) * route.to.step(receiver, a);
    if (route.style == Style::direct) {
      visit(Transfer{e * (source + theirs.first * route.from.step(sender, b)),
                     e * route.from.step(sender, b), e * target, e * route.to.step(receiver, b),
                     e * n, theirs.count});
      continue;
    }
    for (std::int64_t j = 0; j < theirs.count; ++j)
      visit(Transfer{e * (source + (theirs.first + j) * route.from.step(sender, b)),
                     e * route.from.step(sender, c), e * (target + j * route.to.step(receiver, b)),
                     e * route.to.step(receiver, c), e, n});
  }
}

inline std::int64_t sent(const Route& route, int rank) {
  const std::int64_t planes = route.from.count(rank, route.from.divided);
  return planes * (route.style == Style::direct ? route.from.ranks : route.to.n);
}
inline std::int64_t received(const Route& route, int rank) {
  return route.from.n * (route.style == Style::direct ? 1 : route.to.count(rank, route.to.divided));
}

}  // namespace hakaru::apps::sp
