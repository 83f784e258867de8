// What each rank does in one repetition.
#pragma once

#include "apps/median_filter/problem.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::median_filter {

harness::RankSchedule rank_schedule(const Problem& problem, Values values, int ranks);

}  // namespace hakaru::apps::median_filter
