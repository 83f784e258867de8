// Counters of several threads: in one line or apart (false sharing), and one that they share.
#pragma once

#include <string>
#include <vector>

#include "probes/sharing/timing.hpp"

namespace hakaru::probes::sharing {

struct CounterSamples {
  std::vector<double> seconds;  // of one operation of a thread
  double wrong = 0.0;           // operations that are missing in the counters at the end
};

// Each thread adds to a counter of its own by loads and stores; counters are `padding_bytes` apart
// (a multiple of 8), the first at the beginning of a line.
CounterSamples false_sharing(const base::PinnedTeam& team, int padding_bytes,
                             const Sampling& sampling);

enum class Atomic { add, compare_and_swap, load, store };
const char* name_of(Atomic operation);

// Each thread does the operation on one counter that all share, or on one of its own far from the
// others. Compare-and-swap repeats until it succeeds and adds one.
CounterSamples atomic_operations(const base::PinnedTeam& team, Atomic operation, bool contended,
                                 const Sampling& sampling);

}  // namespace hakaru::probes::sharing
