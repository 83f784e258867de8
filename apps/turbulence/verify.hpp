// Verification: of a finished run, and of the program on problems of its own.
#pragma once

#include <string>
#include <vector>

#include "apps/turbulence/diagnostics.hpp"
#include "apps/turbulence/solver.hpp"
#include "native/base/checks.hpp"

namespace hakaru::apps::turbulence {

struct FinishedRun {
  Solver& solver;
  const std::vector<StepRecord>& history;  // start of each step, then the end
  double start_time;
  std::string flow;  // or "restart"
  const State& initial;
};

// What must hold for any parameters, and what is known of this flow. Collective.
void check_run(const FinishedRun& run, const Diagnostics& diagnostics, base::Checks& checks);

struct Verification {
  Settings settings;       // method, plan and threads are used; problems are its own
  bool damaged;            // spoil each result before it is checked
  bool full;               // adds the Taylor-Green table up to t = 10 at 64^3
  std::string checkpoint;  // file for the restart check, or "" for a temporary one
};

// Every check of the README. Collective.
void verify_all(const Verification& verification, const parallel::Communicator& world,
                base::Checks& checks);

// Taylor-Green vortex at Re = 100 on 64^3 points: time, energy, enstrophy, dissipation, 8 decimals.
struct TaylorGreenValue {
  double time, energy, enstrophy, dissipation;
};
extern const std::vector<TaylorGreenValue> taylor_green_re100;

// Groups of verify_all.
namespace verification {
struct Context {
  const Verification& plan;
  const parallel::Communicator& world;
  base::Checks& checks;

  // Smallest n >= at_least that these ranks can share. Throws UserError(usage) when there is none.
  int size(int at_least) const;
  Settings settings(int at_least, double nu, double dt) const;
  // Changes one mode by a part in a thousand when damage is asked for.
  void spoil(const Solver& solver, State& state) const;
};
void nonlinear_term(const Context&);    // padded convolution, invariants
void exact_flows(const Context&);       // ABC decay, Taylor-Green series and table
void time_integration(const Context&);  // order, forcing
void same_bits(const Context&);         // ranks, threads, transposition, restart
}  // namespace verification

}  // namespace hakaru::apps::turbulence
