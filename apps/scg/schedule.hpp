// What each rank does in a repetition, as operations; the same order as Solver.
#pragma once

#include "apps/scg/solver.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::scg {

struct Repetition {
  std::int64_t n, iterations;
  Decomposition decomposition;
  Acknowledgement acknowledgement;
  int ranks;
};

harness::RankSchedule rank_schedule(const Repetition& repetition);

}  // namespace hakaru::apps::scg
