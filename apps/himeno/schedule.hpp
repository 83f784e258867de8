// What each rank does in one repetition.
#pragma once

#include <cstdint>

#include "apps/himeno/decomposition.hpp"
#include "apps/himeno/problem.hpp"
#include "apps/himeno/solver.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::himeno {

struct Repetition {
  Grid grid;
  Ranks ranks;
  Method method;
  std::int64_t iterations;
};

harness::RankSchedule rank_schedule(const Repetition& repetition);

}  // namespace hakaru::apps::himeno
