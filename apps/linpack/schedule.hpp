// What each rank does in a repetition, as operations.
#pragma once

#include "apps/linpack/problem.hpp"
#include "native/base/description.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::linpack {

harness::RankSchedule rank_schedule(const Problem& problem);
// Size and memory of all ranks.
base::Work size_of(const Problem& problem);

}  // namespace hakaru::apps::linpack
