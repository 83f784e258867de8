// What will be measured with given parameters on this machine: array size by STREAM's rule, numbers
// of cores, working sets of the sweep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/base/aligned.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::probes::memory_bandwidth {

struct ArraySize {
  std::int64_t bytes;         // of each of the three arrays
  std::int64_t by_rule;       // 4 x all last-level caches together, or what the user wants
  std::string reason_capped;  // "" when bytes = by_rule
};

struct Plan {
  ArraySize array;
  std::size_t elements;  // of each array
  base::Pages pages;
  std::vector<int> processors;   // one of each core, in the order in which cores are added
  std::vector<int> core_counts;  // ascending
  int rounds, runs;              // the first run of each round is discarded
  int sweep_repetitions;
  std::int64_t
      sample_bytes;  // that each core moves in one sample of the sweep, unless one pass moves more

  // Bytes of the three arrays of each core together, ascending, for teams of this many cores.
  std::vector<std::int64_t> working_sets(int cores) const;
  // Of the loads by index: powers of two, from 64 KiB on.
  std::vector<std::int64_t> indexed_sets(int cores) const;
};

// `wanted` = 0 follows the rule; `memory_limit` bounds each array by what the machine has free.
ArraySize choose_array_size(std::int64_t wanted, std::int64_t last_level_cache_bytes,
                            std::int64_t cap, std::int64_t memory_limit);

// Why these parameters cannot be measured here, or "".
std::string refuse(const base::Parameters& parameters);
Plan make_plan(const base::Parameters& parameters);

}  // namespace hakaru::probes::memory_bandwidth
