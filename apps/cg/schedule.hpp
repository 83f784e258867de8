// What each rank does in a repetition, as operations; the same order as Solver.
#pragma once

#include "apps/cg/problem.hpp"
#include "apps/cg/solver.hpp"
#include "native/base/description.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::cg {

struct Repetition {
  Problem problem;
  Communication communication;
  std::int64_t estimates;
  int ranks;
};

harness::RankSchedule rank_schedule(const Repetition& repetition);
// Size and memory of all ranks.
base::Work size_of(const Repetition& repetition);

}  // namespace hakaru::apps::cg
