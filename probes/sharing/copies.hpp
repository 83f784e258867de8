// Several copies of one serial program at once, each with memory of its own: what one slows the
// others.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/sharing/timing.hpp"

namespace hakaru::probes::sharing {

enum class Serial { multiply, stencil };
const char* name_of(Serial program);

struct CopySample {
  int copy;  // which of the copies
  int sample;
  double seconds;  // of one pass over its memory
};

struct CopySamples {
  std::vector<CopySample> samples;
  double wrong = 0.0;  // copies whose result is not the one that it must be
};

// As many copies as the team has threads. `stencil`: u = (u_i-1 + u_i+1) / 2 from one array into
// another, which both have half of `bytes`; `multiply`: as many operations on registers.
CopySamples copies_at_once(const base::PinnedTeam& team, Serial program, std::int64_t bytes,
                           const Sampling& sampling);

}  // namespace hakaru::probes::sharing
