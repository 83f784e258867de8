// How the grid lies in the ranks' memories, and how it moves: an array divided along one axis
// becomes one divided along another.
#pragma once

#include "apps/ft/problem.hpp"

namespace hakaru::apps::ft {

using parallel::Slab;
using Route = parallel::SlabRoute;
using Transfer = parallel::SlabTransfer;

// Rows and planes that are multiples of 1 KiB are followed by a gap.
inline Slab divided(const Grid& grid, Axis axis, int ranks) {
  return {grid.n, axis, ranks, {64, 4, 20}};
}

// published: one transfer for each pair of planes, along the third axis, with real and imaginary
// parts apart, as a compiler makes them of two loops around a line. direct: rows of complex values,
// one transfer for each plane of the sender.
inline Route route_of(const Slab& from, const Slab& to, Style style) {
  constexpr std::int64_t element = sizeof(Complex);
  return style == Style::direct ? Route{from, to, element}
                                : Route{from, to, element, Route::Pieces::lines, 2};
}

}  // namespace hakaru::apps::ft
