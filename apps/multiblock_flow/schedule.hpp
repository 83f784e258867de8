// What each rank does in a repetition.
#pragma once

#include <memory>

#include "apps/multiblock_flow/solution_file.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::multiblock_flow {

struct Repetition {
  Topology topology;
  Division division;
  Scheme scheme = Scheme::first;
  std::int64_t steps = 0;
  bool writes = false;
  Way way = Way::collective;
};

harness::RankSchedule rank_schedule(const Repetition& repetition);

// B of the arrays of all ranks.
double memory_of(const Repetition& repetition);

}  // namespace hakaru::apps::multiblock_flow
