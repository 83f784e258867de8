// What the tasks of a repetition do, beside the solvers.
#pragma once

#include <optional>
#include <vector>

#include "apps/lattice_qcd/settings.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::lattice_qcd {

// Normal numbers by the number of the site in the whole lattice.
Spinor random_spinor(std::uint64_t seed, std::int64_t global_site);
void fill_random(Spinors<double>& field, const Wilson<double>& wilson, std::uint64_t seed);

// One spin and colour at one site of the whole lattice.
void fill_point(Spinors<double>& field, const Wilson<double>& wilson, const Extents& origin,
                int spin, int colour);

// C(t) += sum over space of |x|^2 at each time t; a rank has its own times' part.
void add_correlator(const Spinors<double>& x, const Wilson<double>& wilson,
                    std::vector<parallel::ExactSum>& correlator);

// The operator alone, in one precision, with its source and result.
template <typename Real>
struct Application {
  Application(const GaugeField& gauge, const SolverChoice& choice, const Timing& timing,
              std::uint64_t seed);
  void apply();

  Wilson<Real> wilson;
  Krylov<Real> krylov;
  Spinors<Real> in, out;
};

// Pion correlator over all 12 sources at the origin. Throws UserError(verification) when a solver
// does not converge. Collective.
struct Propagation {
  std::vector<double> correlator;
  std::int64_t iterations = 0;
  double worst_residual = 0.0;
};
Propagation propagate(Solver& solver, const Stop& stop, const Timing& timing);

}  // namespace hakaru::apps::lattice_qcd
