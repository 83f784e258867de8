// Chains of dependent operations, and what they must come to.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace hakaru::probes::operating_system {

// What `steps` applications of `step` make of `state`, without doing them all: states come back
// after a few. At most `most` different states.
template <typename State, typename Step>
State after(State state, std::int64_t steps, Step step, std::size_t most = 4096) {
  std::vector<State> seen{state};
  for (std::int64_t done = 1; done <= steps; ++done) {
    step(state);
    for (std::size_t first = 0; first < seen.size(); ++first)
      if (std::memcmp(&seen[first], &state, sizeof state) == 0) {
        const auto cycle = static_cast<std::int64_t>(seen.size() - first);
        return seen[first + static_cast<std::size_t>((steps - done) % cycle)];
      }
    if (seen.size() < most) seen.push_back(state);
  }
  return state;
}

}  // namespace hakaru::probes::operating_system
