// What SP does, counted and written down.
#pragma once

#include "apps/sp/problem.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::sp {

harness::RankSchedule rank_schedule(const Plan& plan);
base::Work total_work(const Plan& plan);

}  // namespace hakaru::apps::sp
