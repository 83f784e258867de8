#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/lattice_qcd/larger.hpp"
#include "apps/lattice_qcd/reference.hpp"
#include "apps/lattice_qcd/verify.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

constexpr double tolerance = 1e-11;
constexpr std::uint64_t source_seed = 77;

struct Way {
  const char* name;
  Method method;
  Preconditioning preconditioning;
  Precision precision;
};
constexpr Way ways[] = {
    {"CG, all sites, double", Method::cg, Preconditioning::none, Precision::twofold},
    {"CG, even sites, double", Method::cg, Preconditioning::even_odd, Precision::twofold},
    {"CG, even sites, mixed", Method::cg, Preconditioning::even_odd, Precision::mixed},
    {"BiCGStab, all sites, double", Method::bicgstab, Preconditioning::none, Precision::twofold},
    {"BiCGStab, even sites, double", Method::bicgstab, Preconditioning::even_odd,
     Precision::twofold},
    {"BiCGStab, even sites, mixed", Method::bicgstab, Preconditioning::even_odd, Precision::mixed},
};

SolverChoice choice_of(const Way& way, double kappa) {
  SolverChoice choice;
  choice.method = way.method;
  choice.preconditioning = way.preconditioning;
  choice.precision = way.precision;
  choice.kappa = kappa;
  choice.exact_sums = true;
  return choice;
}

void spoil(const Trial& trial, Solver& solver) {
  if (trial.run.damaged()) solver.wilson().links(0)[0] += 0.01;
}

// max |x - y| over all ranks.
double distance(const Trial& trial, const Spinors<double>& x, const Spinors<double>& y) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < 2 * x.half(); ++i)
    largest = larger(largest, std::abs(x.parity(0)[i] - y.parity(0)[i]));
  return trial.world.maximum(without_nan(largest));
}

// All ways lead to the solution of the first, whose residual an intact operator computes.
void verify_ways(Trial& trial) {
  const GaugeField gauge = trial.random_field();
  Spinors<double> first;
  std::int64_t iterations[2] = {};
  for (const Way& way : ways) {
    Solver solver(gauge, choice_of(way, 0.15), trial.timing);
    Spinors<double> b = solver.field(), x = solver.field(), residual = solver.field();
    fill_random(b, solver.wilson(), source_seed);
    const bool begins = &way == &ways[0];
    Wilson<double> intact(gauge, 0.15, Boundary::antiperiodic, true, trial.timing);
    spoil(trial, solver);
    const Solution solution = solver.solve(b, x, {1000, tolerance});
    intact.apply_full(x.parity(0), residual.parity(0), false);
    trial.checks.at_most(fmt::format("largest residual of {}", way.name),
                         distance(trial, residual, b), 1e-8,
                         "the tolerance times the norm of the source and the condition");
    if (way.method == Method::cg && way.precision == Precision::twofold)
      iterations[way.preconditioning == Preconditioning::even_odd] = solution.iterations;
    if (begins)
      first = std::move(x);
    else
      trial.checks.at_most(fmt::format("{} against CG on all sites", way.name),
                           distance(trial, x, first) + (trial.run.damaged() ? 1e-3 : 0.0), 1e-9,
                           "one solution, each to its tolerance");
  }
  const double share =
      trial.run.damaged() ? 1.0
                          : static_cast<double>(iterations[1]) / static_cast<double>(iterations[0]);
  trial.checks.at_most("iterations on even sites over those on all sites", share, 0.75,
                       "even-odd preconditioning about halves them");
}

// sum over space of |S(x, t)|^2 of a free quark, by the propagator in momentum space
//   S(p) = (A - i B.g) / (A^2 + B^2), A = 1 - 2 kappa sum cos p, B = 2 kappa sin p.
std::vector<double> free_correlator(const Extents& n, double kappa) {
  std::vector<double> correlator(n[3]);
  Extents space = n;
  space[3] = 1;
  for (std::int64_t i = 0; i < product(space); ++i) {
    const Extents k = point_of(i, space);
    for (int t = 0; t < n[3]; ++t) {
      Complex part[5] = {};  // of 1 and of the four gamma matrices
      for (int k4 = 0; k4 < n[3]; ++k4) {
        double p[axes], a = 1.0, square = 0.0;
        for (int mu = 0; mu < axes; ++mu) {
          p[mu] = 2.0 * std::numbers::pi * (mu == 3 ? k4 + 0.5 : k[mu]) / n[mu];
          a -= 2.0 * kappa * std::cos(p[mu]);
          square += std::pow(2.0 * kappa * std::sin(p[mu]), 2);
        }
        const Complex wave = std::polar(1.0 / n[3], p[3] * t) / (a * a + square);
        part[4] += wave * a;
        for (int mu = 0; mu < axes; ++mu)
          part[mu] += wave * Complex(0.0, -2.0 * kappa * std::sin(p[mu]));
      }
      // Tr S^dagger S over 4 spins and 3 colours; products of two gamma matrices cancel or have no
      // trace.
      double norm = 0.0;
      for (const Complex& one : part) norm += std::norm(one);
      correlator[t] += 12.0 * norm / static_cast<double>(product(space));
    }
  }
  return correlator;
}

void verify_pion(Trial& trial) {
  GaugeField cold = trial.field();
  start_cold(cold);
  Solver solver(cold, choice_of(ways[1], 0.11), trial.timing);
  spoil(trial, solver);
  const Propagation result = propagate(solver, {1000, tolerance}, trial.timing);
  const auto exact = free_correlator(trial.place.lattice.extents, 0.11);
  double largest = 0.0;
  for (std::size_t t = 0; t < exact.size(); ++t)
    largest = larger(largest, std::abs(result.correlator[t] / exact[t] - 1.0));
  trial.checks.at_most("pion correlator of free quarks, relative", largest, 1e-8,
                       "the propagator in momentum space, and the solver's tolerance");
}

}  // namespace

void verify_solvers(Trial& trial) {
  verify_ways(trial);
  verify_pion(trial);
}

}  // namespace hakaru::apps::lattice_qcd
