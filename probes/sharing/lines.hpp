// The latency of a line of the caches from one core to another.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/sharing/timing.hpp"

namespace hakaru::probes::sharing {

struct LineSamples {
  std::vector<double> seconds;  // for a line to get from one core to the other
  std::int64_t wrong = 0;       // hand-overs that are missing at the end
};

// Two threads on these processors hand a number over in one line, each adding one when it sees the
// other's. Throws UserError(environment) when they cannot be pinned.
LineSamples line_between(int first, int second, const Sampling& sampling);

}  // namespace hakaru::probes::sharing
