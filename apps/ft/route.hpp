// The messages of a transposition: an array divided along one axis becomes one divided along
// another.
#pragma once

#include "apps/ft/slab.hpp"

namespace hakaru::apps::ft {

struct Route {
  Slab from, to;
  Style style;

  Axis third() const { return static_cast<Axis>(3 - from.divided - to.divided); }
};

// One one-dimensional stride: `items` of `item_bytes`, from an address in the sender's array to one
// in the receiver's; all in bytes from the beginning of the array.
struct Transfer {
  int sender, receiver;
  std::int64_t source, source_step, target, target_step, item_bytes, items;
  std::int64_t bytes() const { return item_bytes * items; }
};

// Transfers between one pair of ranks. published: one for each pair of planes, along the third
// axis, with real and imaginary parts apart, as a compiler makes them of two loops around a line.
// direct: rows of complex values, one transfer for each plane of the sender.
template <typename Visit>
void visit_pair(const Route& route, int sender, int receiver, const Visit& visit) {
  constexpr std::int64_t element = sizeof(Complex), half = element / 2;
  const Axis a = route.from.divided, b = route.to.divided, c = route.third();
  const Range mine = route.from.range(sender, a), theirs = route.to.range(receiver, b);
  const auto at = [](const Slab& slab, int rank, Axis along, std::int64_t i, Axis other,
                     std::int64_t j) {
    return element * (i * slab.step(rank, along) + j * slab.step(rank, other));
  };
  for (std::int64_t i = 0; i < mine.count; ++i) {
    const std::int64_t in_target = mine.first + i;
    if (route.style == Style::direct) {
      visit(Transfer{
          sender, receiver, at(route.from, sender, a, i, b, theirs.first),
          element * route.from.step(sender, b), at(route.to, receiver, a, in_target, b, 0),
          element * route.to.step(receiver, b), element * route.from.grid.n[c], theirs.count});
      continue;
    }
    for (std::int64_t j = 0; j < theirs.count; ++j)
      for (std::int64_t part = 0; part < 2; ++part)
        visit(Transfer{sender, receiver,
                       at(route.from, sender, a, i, b, theirs.first + j) + part * half,
                       element * route.from.step(sender, c),
                       at(route.to, receiver, a, in_target, b, j) + part * half,
                       element * route.to.step(receiver, c), half, route.from.grid.n[c]});
  }
}

// Number of transfers a rank sends, or receives, to and from all ranks and itself.
inline std::int64_t sent(const Route& route, int rank) {
  const std::int64_t planes = route.from.count(rank, route.from.divided);
  return route.style == Style::direct ? planes * route.from.ranks
                                      : 2 * planes * route.to.grid.n[route.to.divided];
}
inline std::int64_t received(const Route& route, int rank) {
  const std::int64_t planes = route.from.grid.n[route.from.divided];
  return route.style == Style::direct ? planes
                                      : 2 * planes * route.to.count(rank, route.to.divided);
}

}  // namespace hakaru::apps::ft
