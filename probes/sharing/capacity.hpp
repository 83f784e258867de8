// What threads get of a cache that they share: latency of loads in working sets of growing size, by
// the number of threads that load at once.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/sharing/timing.hpp"

namespace hakaru::probes::sharing {

struct CapacitySamples {
  std::vector<double> seconds;  // of a load, mean over the threads
  double wrong = 0.0;           // chains that do not go through all their lines
};

// Each thread follows a chain through all lines of `bytes` of its own, in random order.
CapacitySamples loads_at_once(const base::PinnedTeam& team, std::int64_t bytes,
                              const Sampling& sampling);

// Sizes from `least` to `most`, four to a doubling, each a multiple of 4096.
std::vector<std::int64_t> working_sets(std::int64_t least, std::int64_t most);

}  // namespace hakaru::probes::sharing
