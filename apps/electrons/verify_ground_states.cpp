// Energies and gaps of silicon against known values of the same discretisation.
#include <fmt/format.h>

#include <cmath>

#include "apps/electrons/field.hpp"
#include "apps/electrons/verify.hpp"

namespace hakaru::apps::electrons {
namespace {

struct Known {
  Crystal crystal;
  int points, mesh;
  double energy;  // hartree an atom
  double gap;     // eV, at Gamma of the cubic cell, where X is folded to
};

void verify_one(const Known& known, double damage, const parallel::Communicator& world,
                base::Checks& checks) {
  const int n = known.points, m = known.mesh;
  // Projectors in the whole cell: those of the reference are not cut off.
  const System system = make_system(known.crystal, {n, n, n}, {m, m, m}, m > 1 ? 2 : -1, 20.0);
  const Hamiltonian hamiltonian(system.crystal, system.grid, system.reach);
  MeanField field(system.crystal, system.grid);
  GroundState state = find_ground_state(system, hamiltonian, field, world, {});
  const int occupied = system.crystal.occupied();
  for (double& value : state.potential) value *= 1.0 + damage;
  const auto bands = bands_at(hamiltonian, field, state.potential, {0, 0, 0}, occupied + 1);
  const std::string name = fmt::format("{}, {}^3 points, {}^3 k-points", system.crystal.name, n, m);
  checks.absolute("energy an atom: " + name,
                  state.energy / double(system.crystal.atoms.size()) + damage, known.energy, 1e-4,
                  "independent code with the same grid, hartree, 5 decimals");
  checks.absolute("gap: " + name, (bands[occupied] - bands[occupied - 1]) * hartree_ev, known.gap,
                  0.010, "independent code with the same grid, eV");
  checks.at_most("split of the valence band's top: " + name,
                 bands[occupied - 1] - bands[occupied - 3], 1e-5, "threefold by symmetry, hartree");
}

}  // namespace

void verify_ground_states(const Verification& how, const parallel::Communicator& world,
                          base::Checks& checks) {
  const double damage = how.damaged ? 0.02 : 0.0;
  verify_one({soft_silicon(), 16, 2, -4.25220, 1.0573}, damage, world, checks);
  if (!how.full) return;
  verify_one({silicon(), 20, 1, -3.92205, 0.403}, damage, world, checks);
  verify_one({silicon(), 24, 1, -3.92057, 0.424}, damage, world, checks);
  verify_one({silicon(), 24, 2, -3.96572, 0.605}, damage, world, checks);
}

}  // namespace hakaru::apps::electrons
