// What each rank does in one run of the SR16000 program, as operations.
#pragma once

#include "native/harness/program.hpp"
#include "probes/overlap/ways.hpp"

namespace hakaru::probes::overlap {

struct Repetition {
  Way way;
  std::int64_t n;
  int iterations, ranks;
};

harness::RankSchedule rank_schedule(const Repetition& repetition);
// Size and memory of all ranks.
base::Work size_of(const Repetition& repetition);

}  // namespace hakaru::probes::overlap
