// What is verified: of every run, and by `verify`.
#pragma once

#include "apps/semiclassical/ensemble.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::semiclassical {

// Of a run's sums.
void check_ensemble(const Settings& settings, const Sums& sums, base::Checks& checks);

// Trajectories and their matrices, then what is made of them.
void verify_trajectories(bool damaged, base::Checks& checks);
void verify_correlations(harness::Run& run, const parallel::Communicator& world,
                         base::Checks& checks);
void verify_all(harness::Run& run, const parallel::Communicator& world, base::Checks& checks);

// A system of `n` degrees of freedom, a step and a number of them.
Settings system_of(Potential potential, int n, double dt, std::int64_t steps);

}  // namespace hakaru::apps::semiclassical
