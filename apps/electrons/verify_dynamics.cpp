// Conservation, order, reversibility and symmetry of the motion in time.
#include <algorithm>
#include <cmath>

#include "apps/electrons/simulation.hpp"
#include "apps/electrons/verify.hpp"

namespace hakaru::apps::electrons {
namespace {

Settings soft_cell(const Shape& mesh, int symmetry_direction) {
  Settings s;
  s.system = make_system(soft_silicon(), {12, 12, 12}, mesh, symmetry_direction, 5.0);
  s.field.kind = Field::Kind::impulse;
  s.propagator.dt = 0.08;
  return s;
}

// Current along the field after `steps` steps.
double current_after(Simulation& simulation, const Orbitals& from, int steps) {
  simulation.begin(&from);
  for (int i = 0; i < steps; ++i) simulation.step();
  return simulation.currents()[0];
}

double largest_difference(const Orbitals& a, const Orbitals& b) {
  double worst = 0.0;
  for (int k = 0; k < a.k_count(); ++k)
    for (int band = 0; band < a.bands(); ++band)
      for (std::size_t i = 0; i < a.points(); ++i)
        worst = std::max(worst, std::abs(a.at(k, band)[i] - b.at(k, band)[i]));
  return worst;
}

void check_conservation(Simulation& simulation, const GroundState& state, bool damaged,
                        base::Checks& checks) {
  const Settings& settings = simulation.settings();
  simulation.begin(&state.orbitals);
  const double after_impulse = simulation.history().front().energy;
  const double density = 32.0 / settings.system.grid.volume();
  checks.relative("current just after the impulse", simulation.currents()[0],
                  density * settings.field.impulse * (damaged ? 1.01 : 1.0), 1e-5,
                  "j(0+) = n_e a0: the f-sum rule of a local potential");
  checks.absolute("energy of the impulse", after_impulse - state.energy,
                  0.5 * 32.0 * std::pow(settings.field.impulse, 2), 1e-6,
                  "N a0^2 / 2, from a ground state that is known to 1e-8 hartree");
  double electrons = 0.0, energy = 0.0;
  for (int i = 0; i < settings.steps; ++i) {
    simulation.step();
    const Moment& now = simulation.history().back();
    electrons = std::max(electrons, std::abs(now.electrons - 32.0));
    if (std::isfinite(now.energy)) energy = std::max(energy, std::abs(now.energy - after_impulse));
  }
  checks.at_most("electrons lost or won", electrons, 1e-8,
                 "each step changes the norm by (dt E)^6 / 72 only");
  checks.at_most("energy drift without a field, hartree", energy, 1e-6,
                 "second order in dt, proportional to a0^2");
}

void check_reversal(Simulation& simulation, const GroundState& state, base::Checks& checks) {
  simulation.begin(&state.orbitals);
  Propagator& electrons = simulation.points()[0];
  Vector a{};
  a[2] = simulation.settings().field.impulse;
  for (int i = 0; i < 20; ++i) electrons.step(a, a);
  const double away = largest_difference(electrons.orbitals(), state.orbitals);
  // The extrapolation of the mean field looks to the other side now.
  auto& last = electrons.memory().last;
  electrons.set_time_step(-simulation.settings().propagator.dt);
  last[1] = last[2] = last[0];
  for (int i = 0; i < 20; ++i) electrons.step(a, a);
  electrons.set_time_step(simulation.settings().propagator.dt);
  const double world_worst =
      simulation.group().maximum(largest_difference(electrons.orbitals(), state.orbitals));
  checks.at_most("distance from the start after going back in time", world_worst, 1e-5,
                 "exact but for the Taylor series and the predictor's error, dt^3");
  checks.at_least("distance before going back", simulation.group().maximum(away), 1e-3,
                  "phases turn; else nothing was reversed");
}

void check_order(const GroundState& state, const parallel::Communicator& world,
                 base::Checks& checks) {
  double currents[3];
  for (int i = 0; i < 3; ++i) {
    Settings s = soft_cell({2, 2, 2}, 2);
    s.field.impulse = 0.1;  // not linear, so that the mean field matters
    s.propagator.dt = 0.16 / (1 << i);
    Simulation simulation(s, world, {});
    currents[i] = current_after(simulation, state.orbitals, 10 << i);
  }
  const double order =
      std::log2(std::abs((currents[0] - currents[1]) / (currents[1] - currents[2])));
  checks.at_least("order of the current in dt", order, 1.8,
                  "midpoint rule for the mean field: second order or better");
}

// Plane waves in a frozen potential have high energies, so that the loss of norm can be seen.
void check_norm_order(const parallel::Communicator& world, base::Checks& checks) {
  double loss[2];
  for (int i = 0; i < 2; ++i) {
    Settings s = soft_cell({1, 1, 1}, -1);
    s.waves = true, s.propagator.frozen = true;
    s.field.kind = Field::Kind::none;
    s.propagator.dt = 0.12 / (1 << i);
    Simulation simulation(s, world, {});
    simulation.begin(nullptr);
    const double before = simulation.history().back().electrons;
    for (int step = 0; step < 10 << i; ++step) simulation.step();
    loss[i] = before - simulation.history().back().electrons;
  }
  checks.absolute("order of the loss of norm", std::log2(loss[0] / loss[1]), 5.0, 0.3,
                  "(dt E)^6 / 72 a step");
}

void check_symmetry(const GroundState& reduced, const parallel::Communicator& world,
                    base::Checks& checks) {
  Settings z = soft_cell({2, 2, 2}, 2);
  Simulation with(z, world, {});
  const double reference = current_after(with, reduced.orbitals, 10);
  Settings all = soft_cell({2, 2, 2}, -1);
  Simulation without(all, world, {});
  const GroundState state = without.find_ground_state({});
  checks.relative("current with k-points reduced by symmetry", reference,
                  current_after(without, state.orbitals, 10), 1e-6,
                  "two ground states, each converged to 1e-6");
  for (const int d : {0, 1}) {
    Settings turned = all;
    turned.field.direction = d;
    Simulation simulation(turned, world, {});
    checks.relative(d == 0 ? "current along x" : "current along y",
                    current_after(simulation, state.orbitals, 10), reference, 1e-6,
                    "the crystal is cubic");
  }
}

// j = (1 / volume) dE/da, with the pseudopotential's commutator.
void check_commutator(const parallel::Communicator& world, base::Checks& checks) {
  Settings s = soft_cell({2, 1, 1}, -1);
  s.system = make_system(silicon(), {12, 12, 12}, {2, 1, 1}, -1, 4.0);
  s.waves = true;
  s.field.kind = Field::Kind::none;
  Simulation simulation(s, world, {});
  simulation.begin(nullptr);
  Propagator& electrons = simulation.points()[0];
  const double h = 1e-3, a0 = 0.05;
  const double slope = (electrons.energy({0, 0, a0 + h}) - electrons.energy({0, 0, a0 - h})) /
                       (2.0 * h * s.system.grid.volume());
  const double current = electrons.observe({0, 0, a0}).current[2];
  checks.relative("current against the derivative of the energy", current, slope, 1e-5,
                  "central differences; the commutator with the projectors is part of both");
  double local = electrons.observe({0, 0, 0}).current[2];
  local += 32.0 / s.system.grid.volume() * a0;
  checks.at_least("part of the commutator", std::abs(current / local - 1.0), 1e-3,
                  "a local potential alone would give n_e a");
}

void check_layouts(const parallel::Communicator& world, base::Checks& checks) {
  // Plane waves are the same everywhere; ground states would differ by what is left of their
  // residuals.
  Settings s = soft_cell({2, 2, 1}, -1);
  s.waves = true;
  const auto alone = parallel::Communicator::borrow(MPI_COMM_SELF);
  double currents[2];
  for (int i = 0; i < 2; ++i) {
    Simulation simulation(s, i == 0 ? world : alone, {});
    simulation.begin(nullptr);
    for (int step = 0; step < 5; ++step) simulation.step();
    currents[i] = simulation.currents()[0];
  }
  checks.relative("current of all ranks against one rank", currents[0], currents[1], 1e-11,
                  "sums do not depend on their order");
}

}  // namespace

void verify_dynamics(const Verification& how, const parallel::Communicator& world,
                     base::Checks& checks) {
  Settings settings = soft_cell({2, 2, 2}, 2);
  settings.steps = 40, settings.energy_interval = 5;
  Simulation simulation(settings, world, {});
  const GroundState state = simulation.find_ground_state({});
  check_conservation(simulation, state, how.damaged, checks);
  check_reversal(simulation, state, checks);
  check_order(state, world, checks);
  check_norm_order(world, checks);
  check_symmetry(state, world, checks);
  check_commutator(world, checks);
  if (world.size() > 1) check_layouts(world, checks);
}

}  // namespace hakaru::apps::electrons
