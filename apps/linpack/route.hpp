// The way of a panel along a row of Q ranks. Places count from the rank that has it: place 0.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/linpack/problem.hpp"
#include "native/base/share.hpp"

namespace hakaru::apps::linpack {

// Whole panels, from rank to rank: from whom (-1: it is there), to whom in this order, and how many
// hops from place 0 of `deepest`.
struct Stop {
  int parent = -1;
  std::vector<int> children;
  int depth = 0, deepest = 0;
};
// Of the routes in pieces, what comes first: with `modified_spread` the panel to place 1.
Stop stop_of(Route route, int place, int places);

// Panels in pieces: spread along a tree, then rolled around a ring (HPL's long).
constexpr bool in_pieces(Route route) {
  return route == Route::spread || route == Route::modified_spread;
}
struct Pieces {
  int begin = 0, end = 0;
};
struct Spread {
  int members = 1, self = 0;  // of the ring; self < 0: not among them
  int parent = -1;            // member
  Pieces own;                 // received from it
  std::vector<int> children;  // members
  std::vector<Pieces> given;  // to each child
};
// Doubles of these pieces, when so many doubles are cut into as many pieces as there are members.
constexpr base::Share pieces_share(std::int64_t doubles, Pieces pieces, int members) {
  const std::int64_t first = base::share_of(doubles, pieces.begin, members).first;
  return {first, base::share_of(doubles, pieces.end - 1, members).end() - first};
}
Spread spread_of(Route route, int place, int places);
// Place of a member.
constexpr int place_of_member(Route route, int member) {
  return route == Route::modified_spread && member > 0 ? member + 1 : member;
}

}  // namespace hakaru::apps::linpack
