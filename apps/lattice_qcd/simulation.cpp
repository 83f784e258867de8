#include "apps/lattice_qcd/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "native/base/require.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

// `use(x, slot)` for every site of the box.
template <typename Wilson, typename Use>
void for_sites(const Wilson& wilson, const Use& use) {
  const Extents local = wilson.place().local;
  for (std::int64_t i = 0; i < product(local); ++i) {
    const Extents x = point_of(i, local);
    use(x, wilson.slot(x));
  }
}

}  // namespace

Spinor random_spinor(std::uint64_t seed, std::int64_t site) {
  Random random{seed, static_cast<std::uint64_t>(site), 0x736f75726365};
  Spinor spinor;
  for (auto& spin : spinor.e)
    for (Complex& number : spin) {
      const double re = random.normal();
      number = {re, random.normal()};
    }
  return spinor;
}

void fill_random(Spinors<double>& field, const Wilson<double>& wilson, std::uint64_t seed) {
  for_sites(wilson, [&](const Extents& x, const Slot& slot) {
    field.set(slot, random_spinor(seed, wilson.place().global_index(x)));
  });
}

void fill_point(Spinors<double>& field, const Wilson<double>& wilson, const Extents& origin,
                int spin, int colour) {
  for_sites(wilson, [&](const Extents& x, const Slot& slot) {
    Spinor spinor;
    if (wilson.place().global(x) == origin) spinor.e[spin][colour] = 1.0;
    field.set(slot, spinor);
  });
}

void add_correlator(const Spinors<double>& field, const Wilson<double>& wilson,
                    std::vector<parallel::ExactSum>& correlator) {
  for_sites(wilson, [&](const Extents& x, const Slot& slot) {
    double norm = 0.0;
    const Spinor spinor = field.get(slot);
    for (const auto& spin : spinor.e)
      for (const Complex& number : spin) norm += std::norm(number);
    correlator[wilson.place().global(x)[3]].add(norm);
  });
}

template <typename Real>
Application<Real>::Application(const GaugeField& gauge, const SolverChoice& choice,
                               const Timing& timing, std::uint64_t seed)
    : wilson(gauge, choice.kappa, choice.boundary, choice.overlap, timing),
      krylov(wilson, choice.preconditioning, choice.method, false, timing),
      in(wilson.layout()),
      out(wilson.layout()) {
  for_sites(wilson, [&](const Extents& x, const Slot& slot) {
    in.set(slot, random_spinor(seed, wilson.place().global_index(x)));
  });
}

template <typename Real>
void Application<Real>::apply() {
  krylov.apply(in.parity(0), out.parity(0));
}

template struct Application<float>;
template struct Application<double>;

Propagation propagate(Solver& solver, const Stop& stop, const Timing& timing) {
  Propagation result;
  const Wilson<double>& wilson = solver.wilson();
  std::vector<parallel::ExactSum> sums(wilson.place().lattice.extents[3]);
  Spinors<double> b = solver.field(), x = solver.field();
  for (int source = 0; source < 12; ++source) {
    fill_point(b, wilson, {0, 0, 0, 0}, source / 3, source % 3);
    const Solution solution = solver.solve(b, x, stop);
    if (!(solution.residual <= 10.0 * stop.tolerance))
      throw base::UserError(
          base::ExitCode::verification,
          base::explain(fmt::format("the solver did not converge: |b - W x| / |b| is {:.2g} after "
                                    "{} iterations, not {:.2g}",
                                    solution.residual, solution.iterations, stop.tolerance),
                        fmt::format("kappa={:g} may be at or beyond the critical value of this "
                                    "gauge field, or iterations too few",
                                    wilson.kappa()),
                        "give a smaller kappa or more iterations"));
    result.iterations += solution.iterations;
    result.worst_residual = std::max(result.worst_residual, solution.residual);
    auto phase = timing.in(timing.vectors);
    add_correlator(x, wilson, sums);
  }
  auto phase = timing.in(timing.reduction);
  result.correlator = parallel::exact_sums(wilson.ranks(), sums);
  return result;
}

}  // namespace hakaru::apps::lattice_qcd
