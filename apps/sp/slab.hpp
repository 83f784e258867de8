// How the grid lies in the ranks' memories, and how it moves: an array divided along one axis
// becomes one divided along another.
#pragma once

#include "apps/sp/problem.hpp"

namespace hakaru::apps::sp {

using parallel::Slab;
using Route = parallel::SlabRoute;

// Planes are followed by a gap.
inline Slab divided(std::int64_t n, Axis axis, int ranks) {
  return {{n, n, n}, axis, ranks, {1, 0, 9}};
}

// published: a line along the third axis for each pair of planes. direct (third axis x): rows, one
// transfer for each plane of the sender. `element`: B of a point.
inline Route route_of(const Slab& from, const Slab& to, Style style, std::int64_t element) {
  return {from, to, element, style == Style::direct ? Route::Pieces::rows : Route::Pieces::lines};
}

}  // namespace hakaru::apps::sp
