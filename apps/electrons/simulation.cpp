#include "apps/electrons/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hakaru::apps::electrons {
namespace {

constexpr double unknown_energy = std::numeric_limits<double>::quiet_NaN();

EnergyWatch new_watch(const Settings& settings) {
  return {double(settings.system.crystal.electrons()), highest_energy(settings),
          settings.propagator.dt};
}

}  // namespace

double highest_energy(const Settings& settings) {
  if (settings.waves) return 8.0;
  return settings.system.crystal.species[0].channels.empty() ? 1.5 : 4.0;
}

Simulation::Simulation(const Settings& settings, const parallel::Communicator& world,
                       const Clock& clock)
    : settings_(settings),
      layout_(layout_of(world.size(), settings.groups,
                        settings.geometry == Geometry::film ? settings.film.points : 1,
                        static_cast<int>(settings.system.k_points.size()))),
      clock_(clock),
      hamiltonian_(settings_.system.crystal, settings_.system.grid, settings_.system.reach,
                   settings.stencil),
      field_(settings_.system.crystal, settings_.system.grid) {
  group_.emplace(world.split(layout_.group_of(world.rank()), world.rank()));
  line_.emplace(world.split(layout_.member_of(world.rank()), world.rank()));
  const int count = layout_.points_of(world.rank()).count();
  for (int i = 0; i < count; ++i)
    points_.emplace_back(settings_.system, hamiltonian_, field_, *group_, settings_.propagator,
                         clock_);
  currents_.resize(count);
}

GroundState Simulation::find_ground_state(const GroundStateOptions& options, GroundState from,
                                          const Watch& watch) {
  return electrons::find_ground_state(settings_.system, hamiltonian_, field_, *group_, options,
                                      std::move(from), watch);
}

Vector Simulation::along(double a) const {
  Vector vector{};
  vector[settings_.field.direction] = a;
  return vector;
}

double Simulation::total_a(int point) const {
  if (maxwell_) return maxwell_->at(point);
  return settings_.field.vector_potential(step_ * settings_.propagator.dt) + induced_;
}

double Simulation::total_a_before(int point) const {
  if (maxwell_) return maxwell_->before_step(point);
  return settings_.field.vector_potential((step_ - 1) * settings_.propagator.dt) + induced_before_;
}

void Simulation::prepare_fields() {
  if (settings_.geometry != Geometry::film) return;
  Film film = settings_.film;
  film.dt = settings_.propagator.dt;
  const Field field = settings_.field;
  maxwell_.emplace(
      film, layout_, line_->rank() * layout_.members() + group_->rank(), *line_,
      [field](double t) { return field.vector_potential(t); }, clock_);
}

void Simulation::begin(const Orbitals* from) {
  step_ = 0, induced_ = induced_before_ = work_ = 0.0, signalled_ = false, requested_ = no_request;
  history_.clear();
  watch_ = new_watch(settings_);
  prepare_fields();
  Observed first;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    from ? points_[i].begin(*from) : points_[i].begin_waves();
    const Observed seen = points_[i].observe(along(total_a(static_cast<int>(i))));
    if (i == 0) first = seen;
    currents_[i] = seen.current[settings_.field.direction];
  }
  note(first);
}

void Simulation::resume(const Scalars& scalars, const std::vector<double>& currents,
                        std::vector<Moment> history) {
  step_ = scalars.step, induced_ = scalars.induced, induced_before_ = scalars.induced_before;
  work_ = scalars.work;
  currents_ = currents;
  history_ = std::move(history);
  watch_ = new_watch(settings_);
  for (const Moment& moment : history_) watch_.add(moment);
}

// From t to t + dt: a(t + dt) is known from a(t), a(t - dt) and j(t).
void Simulation::advance_field() {
  if (maxwell_) {
    requested_ = maxwell_->step(currents_, requested_);
    return;
  }
  if (settings_.geometry != Geometry::longitudinal) return;
  const double dt = settings_.propagator.dt;
  // An impulse makes j jump from 0 at t = 0, where its mean counts.
  const double current = step_ == 0 ? 0.5 * currents_[0] : currents_[0];
  const double next = 2.0 * induced_ - induced_before_ - 4.0 * std::numbers::pi * dt * dt * current;
  induced_before_ = induced_;
  induced_ = next;
}

void Simulation::step(bool signalled) {
  const int direction = settings_.field.direction;
  advance_field();
  ++step_;
  Observed first;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const int point = static_cast<int>(i);
    const double before = total_a_before(point), after = total_a(point);
    const Observed seen = points_[i].step(along(before), along(after), signalled);
    const double current = seen.current[direction];
    // dE/dt = volume j da/dt
    if (i == 0) {
      first = seen;
      work_ += 0.5 * (current + currents_[0]) * (after - before) * system().grid.volume();
    }
    currents_[i] = current;
    // Requests move on by one group a step; the earliest one holds.
    if (seen.signalled) requested_ = std::min(requested_, double(step_ + layout_.groups - 1));
  }
  signalled_ = step_ >= requested_;
  if (signalled_) requested_ = no_request;
  note(first);
}

void Simulation::note(const Observed& first) {
  Moment moment;
  moment.time = step_ * settings_.propagator.dt;
  moment.a = total_a(0);
  if (step_ > 0) moment.electric = -(moment.a - total_a_before(0)) / settings_.propagator.dt;
  moment.current = first.current, moment.electrons = first.electrons, moment.work = work_;
  const int interval = settings_.energy_interval;
  moment.energy = interval > 0 && step_ % interval == 0 ? energy_now() : unknown_energy;
  history_.push_back(moment);
  watch_.add(moment);
}

double Simulation::energy_now() { return finite_or_largest(points_[0].energy(along(total_a(0)))); }

void Simulation::close() {
  if (settings_.energy_interval == 0 || !std::isnan(history_.back().energy)) return;
  history_.back().energy = energy_now();
  watch_.add(history_.back());
}

}  // namespace hakaru::apps::electrons
