// Triad on working sets that grow from the first-level cache to memory, each core in arrays of its
// own.
#pragma once

#include <cstdint>
#include <vector>

#include "native/base/aligned.hpp"
#include "native/base/cores.hpp"

namespace hakaru::probes::memory_bandwidth {

struct SweepSample {
  std::int64_t bytes_per_array;  // of each core
  std::int64_t passes;           // of each core in one sample
  int repetition;                // from 1
  double seconds;                // of one pass
};

struct SweepShape {
  std::int64_t elements;  // of each of the three arrays of a core, a multiple of alignment_elements
  std::int64_t passes;
};
// Three arrays that make up `working_set` bytes, and as many passes as move `sample_bytes` (at
// least one).
SweepShape sweep_shape(std::int64_t working_set, std::int64_t sample_bytes);

struct SweepResult {
  std::vector<SweepSample> samples;
  double wrong = 0.0;  // elements that are not b + s c afterwards
};

// `damage` makes one element of each working set wrong.
SweepResult run_sweep(base::PinnedTeam& team, const std::vector<std::int64_t>& working_sets,
                      std::int64_t sample_bytes, int repetitions, base::Pages pages,
                      bool damage = false);

}  // namespace hakaru::probes::memory_bandwidth
