// Energies and gaps of silicon against known values of the same discretisation.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

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

// Bands of diamond against what is known of the local density approximation: other potentials,
// plane waves, converged.
void check_diamond(double damage, const parallel::Communicator& world, base::Checks& checks) {
  const System system = make_system(diamond(), {20, 20, 20}, {2, 2, 2}, 2, 20.0);
  const Hamiltonian hamiltonian(system.crystal, system.grid, system.reach);
  MeanField field(system.crystal, system.grid);
  GroundState state = find_ground_state(system, hamiltonian, field, world, {});
  for (double& value : state.potential) value *= 1.0 + damage;
  const int occupied = system.crystal.occupied(), valence = occupied - 1;
  // Gamma of the cubic cell has the six states of X below the three of Gamma 15.
  const auto gamma = bands_at(hamiltonian, field, state.potential, {0, 0, 0}, occupied + 9);
  // 0.74 of the way from Gamma to X, folded into the cubic cell.
  const double along = 0.26 * 2.0 * std::numbers::pi / system.crystal.lengths[2];
  const auto lowest = bands_at(hamiltonian, field, state.potential, {0, 0, along}, occupied + 1);
  checks.absolute("direct gap of diamond at Gamma, eV",
                  (gamma[occupied + 6] - gamma[valence]) * hartree_ev, 5.55, 0.1,
                  "local density approximation in the literature: 5.5 to 5.6");
  checks.absolute(
      "indirect gap of diamond, eV", (lowest[occupied] - gamma[valence]) * hartree_ev, 4.15, 0.1,
      "local density approximation in the literature: 4.1 to 4.2; the conduction band's "
      "bottom is taken at 0.74 of Gamma X, flat within 5 meV");
  checks.absolute("width of diamond's valence bands, eV", (gamma[valence] - gamma[0]) * hartree_ev,
                  21.5, 0.3, "local density approximation in the literature: 21.3 to 21.7");
  checks.at_most("split of diamond's valence band's top", gamma[valence] - gamma[valence - 2], 1e-5,
                 "threefold by symmetry, hartree");
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
  check_diamond(damage, world, checks);
}

}  // namespace hakaru::apps::electrons
