// How the median of a window is found, and what it costs. The values of a window come in sorted
// lists that neighbouring windows share:
//   row     the values along x, sorted, shared by the windows around it along y and z;
//   plane   the rows of a window merged, shared by the windows around it along z;
//   core    the planes that the windows of z and z + 1 have in common, merged as far as a median
//           needs them.
// The median is of rank k in the union of core and one more plane, both sorted:
//   min over i + j = k + 1 of max(core_i, plane_j), counted from 1, index 0 left out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "apps/median_filter/network.hpp"
#include "apps/median_filter/problem.hpp"

namespace hakaru::apps::median_filter {

// Comparators on positions 0 to `positions`; values of rank `first` and up lie at `order`.
struct Step {
  Network network;
  Positions order;
  int positions = 0, first = 0;
};

// Sorts `length` lists of one value, or merges `count` sorted lists, and keeps ranks [first, end).
constexpr Step merging(int count, int length, int first, int end) {
  Step step;
  step.positions = count * length;
  step.first = first;
  const Positions all = all_merged(lists_of(count, length), step.network);
  step.order.assign(all.begin() + first, all.begin() + end);
  prune(step.network, step.order, step.positions);
  return step;
}

// Ranks of the core, counted from 0, that can be the median together with a plane.
struct Ranks {
  int first, end;
};
constexpr Ranks needed_ranks(int core, int plane, int rank) {
  return {std::max(0, rank - plane), std::min(rank + 1, core)};
}

// Minima and maxima of the selection from core and plane.
constexpr int selecting(int core, int plane, int rank) {
  int terms = 0, maxima = 0;
  for (int i = std::max(0, rank + 1 - plane); i <= std::min(rank + 1, core); ++i) {
    ++terms;
    if (i > 0 && i < rank + 1) ++maxima;
  }
  return maxima + terms - 1;
}

struct Plan {
  Step row, plane, core;
  int rank;

  explicit Plan(const Window& window)
      : row(sorting(static_cast<int>(window.x))),
        plane(merging(static_cast<int>(window.y), static_cast<int>(window.x), 0,
                      static_cast<int>(window.x * window.y))),
        rank(static_cast<int>(window.rank())) {
    const int values = static_cast<int>(window.x * window.y), planes = static_cast<int>(window.z);
    const Ranks ranks = needed_ranks((planes - 1) * values, values, rank);
    if (planes > 1) core = merging(planes - 1, values, ranks.first, ranks.end);
  }

  static Step sorting(int length) { return merging(length, 1, 0, length); }

  // Minima and maxima for a point.
  double operations_per_point() const {
    return operations(row.network) + operations(plane.network) + 0.5 * operations(core.network) +
           selecting(core.positions, plane.positions, rank);
  }
};

}  // namespace hakaru::apps::median_filter
