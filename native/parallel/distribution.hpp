// Where the elements of a distributed dimension are.
#pragma once

#include <cstdint>

#include "native/base/share.hpp"

namespace hakaru::parallel {

// block: consecutive elements, as evenly as they go. cyclic: element i on rank i mod ranks.
enum class Distribution { block, cyclic };

// Elements g = first, first + step, ... of a dimension that one rank holds, from its place
// `local_first` on, one after the other.
struct OwnedElements {
  std::int64_t first, count, step, local_first;
};

struct Dimension {
  std::int64_t length = 1;
  int ranks = 1;
  Distribution distribution = Distribution::block;
  std::int64_t halo = 0;  // elements beyond each end, of a block distribution
  bool periodic = false;  // what the halo beyond the ends of the array holds: the other end, or
                          // whatever the program writes there

  // first(rank) = floor(length rank / ranks) of a block distribution.
  std::int64_t first(int rank) const {
    return distribution == Distribution::block ? base::share_of(length, rank, ranks).first : rank;
  }
  std::int64_t count(int rank) const {
    return distribution == Distribution::block ? first(rank + 1) - first(rank)
                                               : (length - rank + ranks - 1) / ranks;
  }
  std::int64_t stored(int rank) const { return count(rank) + 2 * halo; }
  // Of the elements begin ... end - 1.
  OwnedElements owned(int rank, std::int64_t begin, std::int64_t end) const;
};

}  // namespace hakaru::parallel
