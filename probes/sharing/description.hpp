// The parameters of the probe, and the plan that they mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/base/description.hpp"
#include "native/base/parameters.hpp"
#include "probes/sharing/timing.hpp"

namespace hakaru::probes::sharing {

base::Description description();

struct Plan {
  Sampling sampling;
  std::vector<int> processors;  // a core each
  std::size_t most_pairs = 0;
  std::int64_t least_set_bytes = 0, most_set_bytes = 0;  // of the capacity
  std::int64_t memory_bytes = 0;                         // of the placement, beyond every cache
  std::vector<std::int64_t> copy_bytes;                  // of each copy
};

// Sizes that are not given come from the caches as the kernel tells them.
Plan plan_of(const base::Parameters& parameters);

}  // namespace hakaru::probes::sharing
