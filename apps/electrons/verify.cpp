#include "apps/electrons/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/electrons/ewald.hpp"
#include "apps/electrons/exchange_correlation.hpp"

namespace hakaru::apps::electrons {
namespace {

// Largest deviation of the second derivative of exp(iGx) from -G^2, relative, on n points.
double stencil_error(int n) {
  const double length = 2.0 * std::numbers::pi;
  const CellGrid grid{{n, 8, 8}, {length, length, length}};
  const StencilCoefficients coefficients = stencil_coefficients(stencil_grid(grid), {0, 0, 0});
  std::vector<Complex> in(grid.size()), out(grid.size());
  const std::vector<double> zero(grid.size(), 0.0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 64; ++j)
      in[std::size_t(i) * 64 + j] = std::polar(1.0, 3.0 * i * grid.spacing(0));
  apply(coefficients, stencil_grid(grid), zero.data(), in.data(), out.data());
  return std::abs(out[0] / in[0] / 4.5 - 1.0);
}

// `stiffness`: part of an electron that the Taylor series loses in a step at most.
void check_conserved(const Simulation& simulation, double stiffness, base::Checks& checks) {
  const double electrons = simulation.system().crystal.electrons();
  const auto& history = simulation.history();
  double worst = 0.0;
  for (const Moment& m : history)
    worst = std::max(worst, finite_or_largest(std::abs(m.electrons - electrons)));
  const double lost = double(history.size()) * stiffness;
  const double most = simulation.settings().waves ? lost : std::min(lost, 1e-3);
  checks.at_most("electrons lost or won", worst, electrons * most + 1e-9,
                 "a Taylor step changes the norm by (dt E)^6 / 72, with E up to a few hartree in "
                 "occupied states; 0.1 % at most, but for plane waves");
}

void check_energy(const EnergyWatch& watch, base::Checks& checks) {
  if (watch.looks() < 1) return;
  const EnergyWatch::Balance& worst = watch.worst();
  checks.at_most("energy that the field's work does not explain", worst.unexplained, worst.limit,
                 fmt::format("hartree a cell, at {:.1f} a.u. of time, where it is nearest to its "
                             "limit or beyond: dE/dt = volume j da/dt; beyond it the motion is "
                             "unstable and nothing after that time can be used",
                             worst.time));
}

}  // namespace

void check_run(Simulation& simulation, base::Checks& checks) {
  const Settings& settings = simulation.settings();
  const auto& history = simulation.history();
  const double electrons = settings.system.crystal.electrons();
  check_conserved(simulation, std::pow(settings.propagator.dt * highest_energy(settings), 6) / 72.0,
                  checks);
  if (settings.waves) return;
  const int d = settings.field.direction;
  const double a = history.front().a;
  if (settings.system.crystal.species[0].channels.empty() && a != 0.0)
    checks.relative("current just after the impulse", history.front().current[d],
                    electrons / settings.system.grid.volume() * a, 1e-5,
                    "j(0+) = n_e a0 where the potential is local; the ground state has a current "
                    "below 1e-8");
  if (a == 0.0)
    checks.at_most("current of the ground state", std::abs(history.front().current[d]), 1e-7,
                   "it vanishes but for what is left of the residual");
  check_energy(simulation.watch(), checks);
}

void verify_formulas(const Verification& how, base::Checks& checks) {
  checks.absolute("Ewald energy of silicon's ions", ewald_energy(silicon()), -33.601859145, 1e-8,
                  "known to 9 decimals");
  checks.absolute("order of the stencil",
                  std::log2(stencil_error(24) / stencil_error(48)) + (how.damaged ? 1.0 : 0.0), 8.0,
                  0.2, "eighth-order differences; the next order is (Gh)^2 = 0.2 smaller");
  double worst = 0.0;
  for (const double n : {0.003, 0.03, 0.3, 1.0}) {
    const double h = 1e-5 * n;
    const double slope = ((n + h) * exchange_correlation(n + h).energy -
                          (n - h) * exchange_correlation(n - h).energy) /
                         (2.0 * h);
    worst = std::max(worst, std::abs(slope - exchange_correlation(n).potential));
  }
  checks.at_most("V_xc against the derivative of n eps_xc", worst, 1e-8,
                 "central differences of relative width 1e-5");
}

void verify_all(const Verification& how, const parallel::Communicator& world,
                base::Checks& checks) {
  verify_formulas(how, checks);
  verify_ground_states(how, world, checks);
  verify_dynamics(how, world, checks);
  verify_conservation(how, world, checks);
  verify_light(how, world, checks);
  verify_response(how, world, checks);
}

}  // namespace hakaru::apps::electrons
