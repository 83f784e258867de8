// Checks of a finished run, and the full verification with problems of its own.
#pragma once

#include "apps/electrons/simulation.hpp"
#include "native/base/checks.hpp"

namespace hakaru::apps::electrons {

struct Verification {
  bool damaged = false, full = false;
};

// Collective.
void check_run(Simulation& simulation, base::Checks& checks);
void verify_all(const Verification& how, const parallel::Communicator& world, base::Checks& checks);

// Parts of it, in files of their own.
void verify_formulas(const Verification& how, base::Checks& checks);
void verify_ground_states(const Verification& how, const parallel::Communicator& world,
                          base::Checks& checks);
void verify_dynamics(const Verification& how, const parallel::Communicator& world,
                     base::Checks& checks);
void verify_conservation(const Verification& how, const parallel::Communicator& world,
                         base::Checks& checks);
void verify_response(const Verification& how, const parallel::Communicator& world,
                     base::Checks& checks);
void verify_light(const Verification& how, const parallel::Communicator& world,
                  base::Checks& checks);

}  // namespace hakaru::apps::electrons
