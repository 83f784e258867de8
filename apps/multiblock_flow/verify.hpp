// What is checked after a run and by verify.
#pragma once

#include "apps/multiblock_flow/solver.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::multiblock_flow {

// A gas everywhere; sums of a closed flow as at first; a uniform flow uniform. Collective.
void check_flow(const Solver& solver, base::Checks& checks);

// Flows with known solutions, on one and on many blocks; spoiled where run.damaged(). Collective.
void verify_everything(harness::Run& run, base::Checks& checks);

}  // namespace hakaru::apps::multiblock_flow
