// What each rank does in one repetition.
#pragma once

#include "apps/turbulence/work.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/transpose.hpp"

namespace hakaru::apps::turbulence {

harness::RankSchedule rank_schedule(const Scale& scale, parallel::TransposeMethod method);

}  // namespace hakaru::apps::turbulence
