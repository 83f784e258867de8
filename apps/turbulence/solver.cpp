#include "apps/turbulence/solver.hpp"

namespace hakaru::apps::turbulence {

Solver::Solver(const Settings& settings, const parallel::Communicator& communicator, Clock clock)
    : settings_(settings),
      communicator_(communicator),
      grid_(settings.n, communicator.rank(), communicator.size()),
      workspace_(grid_, communicator, settings.method, settings.rigor, settings.threads, clock),
      nonlinear_(workspace_),
      update_(workspace_, nonlinear_, settings.nu, settings.dt),
      forcing_(settings.forced ? std::make_unique<Forcing>(grid_) : nullptr),
      velocity_(grid_),
      next_(grid_),
      sum_(grid_) {}

void Solver::begin(const State& from) {
  update_.measure(from, forcing_.get());
  sums_ = update_.reduce();
}

void Solver::stage(Stage which, const State& source, const State& base, State& next) {
  double coefficient = 0.0;
  if (forcing_) {
    const double dissipation = 2.0 * settings_.nu * sums_.enstrophy;
    coefficient = Forcing::coefficient(dissipation, sums_.band);
    forcing_->remember(source);
  }
  nonlinear_.evaluate(source);
  update_.apply(which, base, next, sum_, forcing_.get(), coefficient);
  if (forcing_ || which == Stage::fourth) sums_ = update_.reduce();
}

StepRecord Solver::step(const State& from) {
  StepRecord record{sums_.energy, sums_.enstrophy, 0.0, 0.0};
  stage(Stage::first, from, from, next_);
  stage(Stage::second, next_, from, next_);
  stage(Stage::third, next_, from, next_);
  stage(Stage::fourth, next_, from, velocity_);
  record.transfer = sums_.transfer, record.rate_squared = sums_.rate_squared;
  return record;
}

Sums Solver::rate(const State& velocity, State& rate) {
  nonlinear_.evaluate(velocity);
  update_.apply(Stage::rate, velocity, rate, sum_, nullptr, 0.0);
  return update_.reduce();
}

}  // namespace hakaru::apps::turbulence
