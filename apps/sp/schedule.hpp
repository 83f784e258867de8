// What SP does, written down.
#pragma once

#include "apps/sp/problem.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::sp {

harness::RankSchedule rank_schedule(const Plan& plan);
// Size and memory of all ranks.
base::Work size_of(const Plan& plan);

}  // namespace hakaru::apps::sp
