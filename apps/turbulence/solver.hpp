// One simulation: the state of the flow and the means to advance it.
#pragma once

#include <memory>
#include <vector>

#include "apps/turbulence/forcing.hpp"
#include "apps/turbulence/nonlinear.hpp"
#include "apps/turbulence/update.hpp"

namespace hakaru::apps::turbulence {

struct Settings {
  int n = 32;
  double nu = 0.01;  // kinematic viscosity
  double dt = 0.005;
  bool forced = false;
  parallel::TransposeMethod method = parallel::TransposeMethod::alltoall;
  Rigor rigor = Rigor::estimate;
  int threads = 1;
};

// What is known of the start of a step.
struct StepRecord {
  double energy, enstrophy;
  double transfer, rate_squared;  // of the nonlinear term there
};

class Solver {
 public:
  // Collective. `communicator` must outlive the solver.
  Solver(const Settings& settings, const parallel::Communicator& communicator, Clock clock = {});

  const Settings& settings() const { return settings_; }
  const Grid& grid() const { return grid_; }
  const parallel::Communicator& communicator() const { return communicator_; }
  Workspace& workspace() { return workspace_; }
  Nonlinear& nonlinear() { return nonlinear_; }
  State& velocity() { return velocity_; }
  const State& velocity() const { return velocity_; }

  // Call after the velocity was set from outside. Collective.
  void begin(const State& from);
  // Advances by dt; `from` is the velocity itself or, for the first step after begin(from), the
  // state given there. Collective.
  StepRecord step(const State& from);
  StepRecord step() { return step(velocity_); }
  // Energy and enstrophy after the last step.
  double energy() const { return sums_.energy; }
  double enstrophy() const { return sums_.enstrophy; }

  // The rate of change of `velocity` by the nonlinear term alone; transfer and rate_squared of it.
  // Collective.
  Sums rate(const State& velocity, State& rate);

 private:
  void stage(Stage which, const State& source, const State& base, State& next);

  Settings settings_;
  const parallel::Communicator& communicator_;
  Grid grid_;
  Workspace workspace_;
  Nonlinear nonlinear_;
  Update update_;
  std::unique_ptr<Forcing> forcing_;
  State velocity_, next_, sum_;
  Sums sums_;
};

}  // namespace hakaru::apps::turbulence
