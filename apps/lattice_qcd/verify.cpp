#include "apps/lattice_qcd/verify.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "apps/lattice_qcd/larger.hpp"
#include "apps/lattice_qcd/reference.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

constexpr Extents trial_extents{4, 4, 4, 12};
constexpr std::uint64_t seed = 20101;
constexpr double kappa = 0.124;

Lattice trial_lattice(int ranks) {
  const Division division = divide(trial_extents, ranks, {});
  base::require(division.refusal.empty(), "lattice_qcd cannot verify on this layout",
                division.refusal, "use 1, 2, 3, 4, 6, 8, 12 or 16 ranks");
  return {trial_extents, division.ranks};
}

// The largest over all sites and ranks of difference(x, out at x).
template <typename Real, typename Difference>
double worst(const Wilson<Real>& wilson, const Spinors<Real>& out, const Difference& difference) {
  double largest = 0.0;
  const Place& place = wilson.place();
  for (std::int64_t i = 0; i < product(place.local); ++i) {
    const Extents x = point_of(i, place.local);
    largest = larger(largest, difference(x, out.get(wilson.slot(x))));
  }
  return wilson.ranks().maximum(without_nan(largest));
}

template <typename Real, typename Value>
void fill(const Wilson<Real>& wilson, Spinors<Real>& field, const Value& value) {
  for (std::int64_t i = 0; i < product(wilson.place().local); ++i) {
    const Extents x = point_of(i, wilson.place().local);
    field.set(wilson.slot(x), value(x));
  }
}

template <typename Real>
void spoil(const Trial& trial, Wilson<Real>& wilson) {
  if (trial.run.damaged()) wilson.links(0)[0] += Real(0.01);
}

WholeLattice whole_random_lattice(std::uint64_t which) {
  WholeLattice whole{trial_extents, {}};
  for (std::int64_t site = 0; site < product(trial_extents); ++site) {
    std::array<Matrix, axes> links;
    for (int axis = 0; axis < axes; ++axis)
      links[axis] = random_su3(
          Random{which, static_cast<std::uint64_t>(site), static_cast<std::uint64_t>(axis)});
    whole.links.push_back(links);
  }
  return whole;
}

// The kernel against the formula, with messages behind the inside and beside it.
template <typename Real>
void verify_formula(Trial& trial, bool overlap, const std::string& how, double tolerance) {
  const WholeLattice whole = whole_random_lattice(seed);
  std::vector<Spinor> source;
  for (std::int64_t site = 0; site < trial.place.lattice.sites(); ++site)
    source.push_back(random_spinor(seed, site));
  Wilson<Real> wilson(trial.random_field(), kappa, Boundary::antiperiodic, overlap, trial.timing);
  spoil(trial, wilson);
  Spinors<Real> in(wilson.layout()), out(wilson.layout());
  fill(wilson, in, [&](const Extents& x) { return source[trial.place.global_index(x)]; });
  wilson.apply_full(in.parity(0), out.parity(0), false);
  const double distance = worst(wilson, out, [&](const Extents& x, const Spinor& got) {
    return largest_difference(got, whole.apply(source, trial.place.global(x), kappa, true));
  });
  trial.checks.at_most("operator against its formula, " + how, distance, tolerance,
                       "rounding of a few hundred operations on numbers of order one");
}

// W^dagger = g5 W g5.
void verify_hermiticity(Trial& trial) {
  Wilson<double> wilson(trial.random_field(), kappa, Boundary::antiperiodic, true, trial.timing);
  Spinors<double> in(wilson.layout()), out(wilson.layout()), adjoint(wilson.layout());
  const Gamma g5 = gamma(4);
  const auto source = [&](const Extents& x) {
    return random_spinor(seed, trial.place.global_index(x));
  };
  fill(wilson, in, source);
  wilson.apply_full(in.parity(0), adjoint.parity(0), true);
  fill(wilson, in, [&](const Extents& x) { return multiply(g5, source(x)); });
  spoil(trial, wilson);
  wilson.apply_full(in.parity(0), out.parity(0), false);
  const double distance = worst(wilson, out, [&](const Extents& x, const Spinor& got) {
    return largest_difference(multiply(g5, got), adjoint.get(wilson.slot(x)));
  });
  trial.checks.at_most("g5 W g5 against the adjoint", distance, 1e-12,
                       "both are sums of the same products");
}

// U' = O(x) U O^dagger(x + mu), x' = O x: W' x' = O W x.
void verify_covariance(Trial& trial) {
  const auto turn_at = [&](const Extents& x) {
    return random_su3(Random{seed + 1, static_cast<std::uint64_t>(trial.place.global_index(x)), 7});
  };
  const auto source = [&](const Extents& x) {
    return random_spinor(seed, trial.place.global_index(x));
  };
  const GaugeField field = trial.random_field();
  GaugeField turned = trial.field();
  turned.fill([&](const Extents& x, int axis) {
    Extents ahead = x;
    ++ahead[axis];
    return turn_at(x) * field.at(x, axis) * adjoint(turn_at(ahead));
  });
  Wilson<double> wilson(field, kappa, Boundary::antiperiodic, true, trial.timing),
      other(turned, kappa, Boundary::antiperiodic, true, trial.timing);
  spoil(trial, other);
  Spinors<double> in(wilson.layout()), out(wilson.layout()), out_turned(wilson.layout());
  fill(wilson, in, source);
  wilson.apply_full(in.parity(0), out.parity(0), false);
  fill(other, in, [&](const Extents& x) { return multiply(turn_at(x), source(x)); });
  other.apply_full(in.parity(0), out_turned.parity(0), false);
  const double distance = worst(other, out_turned, [&](const Extents& x, const Spinor& got) {
    return largest_difference(got, multiply(turn_at(x), out.get(wilson.slot(x))));
  });
  trial.checks.at_most("gauge covariance", distance, 1e-12, "rounding of rotated numbers");
  const double difference = plaquette(turned) - plaquette(field);
  trial.checks.at_most("change of the plaquette by a gauge transformation",
                       std::abs(difference) + (trial.run.damaged() ? 1.0 : 0.0), 1e-14,
                       "traces of closed loops do not change");
}

// Plane waves are eigenvectors of the free operator:
//   1 - 2 kappa sum cos p +- 2 i kappa sqrt(sum sin^2 p).
void verify_free_eigenvalues(Trial& trial) {
  GaugeField cold = trial.field();
  start_cold(cold);
  Wilson<double> wilson(cold, kappa, Boundary::antiperiodic, true, trial.timing);
  spoil(trial, wilson);
  Spinors<double> in(wilson.layout()), out(wilson.layout());
  double distance = 0.0;
  for (const Extents& n : {Extents{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 1, 1}, {2, 1, 3, 5}})
    for (const double sign : {1.0, -1.0}) {
      double p[axes], cosines = 0.0, sines = 0.0;
      for (int mu = 0; mu < axes; ++mu) {
        p[mu] = 2.0 * std::numbers::pi * (n[mu] + (mu == 3 ? 0.5 : 0.0)) / trial_extents[mu];
        cosines += std::cos(p[mu]);
        sines += std::pow(std::sin(p[mu]), 2);
      }
      const Complex eigenvalue(1.0 - 2.0 * kappa * cosines, sign * 2.0 * kappa * std::sqrt(sines));
      const Spinor any = random_spinor(seed, 3);
      Spinor vector = any;
      for (int mu = 0; mu < axes; ++mu)
        add(vector, sign * std::sin(p[mu]) / std::sqrt(sines), multiply(gamma(mu), any));
      const auto wave = [&](const Extents& x, Complex factor) {
        const Extents at = trial.place.global(x);
        double angle = 0.0;
        for (int mu = 0; mu < axes; ++mu) angle += p[mu] * at[mu];
        Spinor value;
        add(value, factor * std::polar(1.0, angle), vector);
        return value;
      };
      fill(wilson, in, [&](const Extents& x) { return wave(x, 1.0); });
      wilson.apply_full(in.parity(0), out.parity(0), false);
      distance = std::max(distance, worst(wilson, out, [&](const Extents& x, const Spinor& got) {
                            return largest_difference(got, wave(x, eigenvalue));
                          }));
    }
  trial.checks.at_most("plane waves against the free eigenvalues", distance, 1e-13,
                       "Fourier transform of the free operator");
}

}  // namespace

Trial::Trial(harness::Run& run_, base::Checks& checks_)
    : run(run_),
      checks(checks_),
      world(parallel::Communicator::world()),
      place(trial_lattice(run_.layout().ranks), run_.rank()),
      timing(run_.phases()) {}

GaugeField Trial::random_field() const {
  GaugeField made = field();
  start_random(made, seed);
  return made;
}

void check_adjoint(const GaugeField& gauge, const SolverChoice& choice, const Timing& timing,
                   base::Checks& checks) {
  Wilson<double> wilson(gauge, choice.kappa, choice.boundary, choice.overlap, timing);
  Krylov<double> krylov(wilson, choice.preconditioning, choice.method, true, timing);
  Spinors<double> x(wilson.layout()), w(wilson.layout()), image(wilson.layout()),
      adjoint(wilson.layout());
  fill_random(x, wilson, seed);
  fill_random(w, wilson, seed + 1);
  krylov.apply(x.parity(0), image.parity(0));
  krylov.apply(w.parity(0), adjoint.parity(0), true);
  Sums sums(wilson.ranks(), true);
  const double* const_w = w.parity(0);
  const double* const_adjoint = adjoint.parity(0);
  sums.dot(krylov.field(const_w), static_cast<const double*>(image.parity(0)));
  sums.dot(krylov.field(const_adjoint), static_cast<const double*>(x.parity(0)));
  sums.norm(krylov.field(const_w));
  const auto total = sums.total();
  checks.at_most("<w, A x> against <A^dagger w, x>",
                 std::hypot(total[0] - total[2], total[1] - total[3]) / total[4], 1e-14,
                 "rounding, over |w|^2");
}

void verify_operator(Trial& trial) {
  verify_formula<double>(trial, true, "double precision", 1e-13);
  verify_formula<double>(trial, false, "double precision, without overlap", 1e-13);
  verify_formula<float>(trial, true, "single precision", 2e-5);
  verify_hermiticity(trial);
  verify_covariance(trial);
  verify_free_eigenvalues(trial);
}

void verify_everything(harness::Run& run, base::Checks& checks) {
  Trial trial(run, checks);
  verify_operator(trial);
  verify_solvers(trial);
  verify_gauge(trial);
}

}  // namespace hakaru::apps::lattice_qcd
