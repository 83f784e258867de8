#include "apps/linpack/route.hpp"

#include <bit>

namespace hakaru::apps::linpack {
namespace {

// A chain of places first ... last behind place 0.
struct Chain {
  int first, last;
};

std::vector<Chain> chains_of(Route route, int places) {
  const int last = places - 1;
  switch (route) {
    case Route::ring:
      return {{1, last}};
    case Route::modified_ring:
      return {{1, 1}, {2, last}};
    case Route::two_rings:
      return {{1, places / 2}, {places / 2 + 1, last}};
    case Route::modified_two_rings:
      return {{1, 1}, {2, 1 + (places - 1) / 2}, {2 + (places - 1) / 2, last}};
    case Route::modified_spread:
      return {{1, 1}};
    default:
      return {};
  }
}

Stop of_chains(const std::vector<Chain>& chains, int place, int places) {
  Stop stop;
  for (const Chain& chain : chains) {
    const int last = std::min(chain.last, places - 1);
    if (chain.first > last) continue;
    stop.deepest = std::max(stop.deepest, last - chain.first + 1);
    if (place == 0) stop.children.push_back(chain.first);
    if (place < chain.first || place > last) continue;
    stop.parent = place == chain.first ? 0 : place - 1;
    stop.depth = place - chain.first + 1;
    if (place < last) stop.children.push_back(place + 1);
  }
  return stop;
}

// Binomial: place w has it from w without its highest bit.
Stop of_tree(int place, int places) {
  Stop stop;
  const int highest =
      place > 0 ? static_cast<int>(std::bit_floor(static_cast<unsigned>(place))) : 0;
  if (place > 0) stop.parent = place - highest;
  for (int step = std::max(1, 2 * highest); place + step < places; step *= 2)
    stop.children.push_back(place + step);
  stop.depth = std::popcount(static_cast<unsigned>(place));
  stop.deepest = std::bit_width(static_cast<unsigned>(places - 1));
  return stop;
}

}  // namespace

Stop stop_of(Route route, int place, int places) {
  if (route == Route::tree) return of_tree(place, places);
  return of_chains(chains_of(route, places), place, places);
}

Spread spread_of(Route route, int place, int places) {
  const bool modified = route == Route::modified_spread;
  Spread spread;
  spread.members = modified ? std::max(1, places - 1) : places;
  spread.self = !modified || place == 0 ? place : place == 1 ? -1 : place - 1;
  if (spread.self < 0) return spread;
  int begin = 0, end = spread.members;
  while (end - begin > 1) {
    const int middle = begin + (end - begin + 1) / 2;
    if (spread.self < middle) {
      if (spread.self == begin) {
        spread.children.push_back(middle);
        spread.given.push_back({middle, end});
      }
      end = middle;
    } else {
      if (spread.self == middle) {
        spread.parent = begin;
        spread.own = {middle, end};
      }
      begin = middle;
    }
  }
  return spread;
}

}  // namespace hakaru::apps::linpack
