// What only time shows: groups of symmetries, and energy over 500 atomic units of time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/electrons/simulation.hpp"
#include "apps/electrons/verify.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr double long_time = 500.0;  // atomic units

void check_group(const Crystal& crystal, const Shape& points, int axis, bool damaged,
                 base::Checks& checks) {
  std::vector<Operation> operations =
      symmetries(crystal, {points, crystal.lengths}, {2, 2, 2}, axis);
  if (damaged) operations.pop_back();
  const Missing missing = missing_of(operations, points);
  checks.equal(fmt::format("missing products and inverses of the {} symmetries of {}",
                           operations.size(), crystal.name),
               missing.products + missing.inverses, 0.0,
               "the mean over a group is a projector; any other one takes or gives energy");
}

struct Kept {
  double energy = 0.0;  // furthest from its balance, hartree
  double current = 0.0;
};

// After an impulse, from the ground state.
Kept run(const Shape& points, const Shape& mesh, double dt, bool symmetric, bool damaged,
         const parallel::Communicator& world) {
  Settings s;
  s.system = make_system(soft_silicon(), points, mesh, symmetric ? 2 : -1, 5.0);
  if (damaged) s.system.operations.pop_back();
  s.field.kind = Field::Kind::impulse;
  s.propagator = {dt, 0, false};
  s.energy_interval = 50;
  Simulation simulation(s, world, {});
  const GroundState state = simulation.find_ground_state({});
  simulation.begin(&state.orbitals);
  const int steps = static_cast<int>(std::ceil(long_time / dt));
  for (int i = 0; i < steps && simulation.watch().holds(); ++i) simulation.step();
  simulation.close();
  return {simulation.watch().worst().unexplained, simulation.currents()[0]};
}

void check_energy(const Shape& points, const Shape& mesh, double dt, bool damaged,
                  const parallel::Communicator& world, base::Checks& checks) {
  checks.at_most(fmt::format("energy drift in {:.0f} a.u. on {}^3 points, {} x {} x {} k-points",
                             long_time, points[0], mesh[0], mesh[1], mesh[2]),
                 run(points, mesh, dt, true, damaged, world).energy, 1e-6,
                 "hartree; constant after the impulse, which gave 4e-4");
}

}  // namespace

void verify_conservation(const Verification& how, const parallel::Communicator& world,
                         base::Checks& checks) {
  check_group(soft_silicon(), {12, 12, 12}, 2, how.damaged, checks);
  check_group(diamond(), {16, 16, 16}, 0, how.damaged, checks);
  check_group(quartz(), {20, 36, 20}, 0, how.damaged, checks);
  if (!how.full) return;
  check_energy({12, 12, 12}, {1, 1, 2}, 0.15, how.damaged, world, checks);
  check_energy({16, 16, 16}, {2, 2, 2}, 0.1, how.damaged, world, checks);
  const Kept reduced = run({12, 12, 12}, {2, 2, 2}, 0.15, true, how.damaged, world),
             whole = run({12, 12, 12}, {2, 2, 2}, 0.15, false, false, world);
  checks.relative(
      "current after 500 a.u. with k-points reduced by symmetry", reduced.current, whole.current,
      1e-5, "two ground states, each converged to 1e-6; what is left of them moves by itself");
}

}  // namespace hakaru::apps::electrons
