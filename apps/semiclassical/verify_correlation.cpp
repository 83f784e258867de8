#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/semiclassical/verify.hpp"

namespace hakaru::apps::semiclassical {
namespace {

using Complex = std::complex<double>;

// The phase-space integral of one oscillator by equidistant points, which are exact for Gaussians:
// nothing of it is random.
struct Quadrature {
  std::vector<std::vector<double>> q, p;
  std::vector<double> weights;  // |<0|q p>|^2 / (2 pi hbar) times the area of a point

  explicit Quadrature(const Settings& s) {
    constexpr int points = 33;
    constexpr double reach = 8.0, spacing = 2.0 * reach / (points - 1);
    const double unit_q = 1.0 / std::sqrt(s.width), unit_p = s.hbar * std::sqrt(s.width);
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j) {
        const double x = -reach + spacing * i, y = -reach + spacing * j;
        q.push_back({s.centre_q[0] + x * unit_q});
        p.push_back({s.centre_p[0] + y * unit_p});
        weights.push_back(spacing * spacing / (2.0 * std::numbers::pi) *
                          std::exp(-0.5 * (x * x + y * y)));
      }
  }
};

struct Oscillator {
  std::vector<Complex> correlation;    // by output
  double prefactor = 0.0, norm = 0.0;  // largest |C - exp(-it/2)|; of the packet at the end
};

// Squared norm of the packet at the end, on a grid in space.
double norm_of(const Settings& s, const Quadrature& grid, const Block& block,
               const Correlator& correlator) {
  const double amplitude = std::pow(s.width / std::numbers::pi, 0.25);
  constexpr double step = 0.05, reach = 9.0;
  double norm = 0.0;
  for (double x = -reach; x <= reach; x += step) {
    Complex psi = 0.0;
    for (std::size_t i = 0; i < grid.q.size(); ++i) {
      const auto lanes = static_cast<std::size_t>(block.lanes());
      const Batch b = block.batch(static_cast<int>(i / lanes));
      const double q = b.q[i % lanes], p = b.p[i % lanes], action = b.action[i % lanes];
      const Complex overlap = log_overlap(s, grid.q[i].data(), grid.p[i].data());
      const Complex exponent{-0.5 * s.width * (x - q) * (x - q), (p * (x - q) + action) / s.hbar};
      // <q0 p0|0> dq dp / (2 pi hbar) = weight / <0|q0 p0>
      psi +=
          grid.weights[i] * correlator.prefactors()[i] * amplitude * std::exp(exponent - overlap);
    }
    norm += step * std::norm(psi);
  }
  return norm;
}

Oscillator oscillator(const Settings& s, bool damaged) {
  const Quadrature grid(s);
  const int lanes = vector_lanes();
  Block block(s, static_cast<int>((grid.q.size() + lanes - 1) / lanes));
  Correlator correlator(s, block);
  Tally tally(s);
  Oscillator found;
  const auto record = [&](std::int64_t index) {
    correlator.output(index, tally, {});
    Complex sum = damaged ? 1e-3 : 0.0;
    const double time = s.dt * double(index * s.interval);
    for (std::size_t i = 0; i < grid.weights.size(); ++i) {
      sum += grid.weights[i] * correlator.values()[i];
      found.prefactor = std::max(
          found.prefactor, std::abs(correlator.prefactors()[i] - std::polar(1.0, -0.5 * time)));
    }
    found.correlation.push_back(sum);
  };
  correlator.start_at(grid.q, grid.p, {});
  record(0);
  for (std::int64_t step = 1; step <= s.steps; ++step) {
    block.step({}, {});
    if (step % s.interval == 0) record(step / s.interval);
  }
  found.norm = norm_of(s, grid, block, correlator);
  if (damaged) found.prefactor += 1e-3, found.norm += 1e-3;
  return found;
}

double worst_error(const Settings& s, const Oscillator& found) {
  double worst = 0.0;
  for (std::size_t i = 0; i < found.correlation.size(); ++i)
    worst =
        std::max(worst, std::abs(found.correlation[i] -
                                 harmonic_correlation(s, s.dt * double(i) * double(s.interval))));
  return worst;
}

void verify_oscillator(bool damaged, base::Checks& checks) {
  for (const double hbar : {1.0, 0.25}) {
    Settings s = system_of(Potential::henon_heiles, 1, 0.01, 1000);
    s.hbar = hbar, s.width = 1.0 / hbar, s.interval = 50;
    s.centre_q = {1.0}, s.centre_p = {0.5};
    const Oscillator found = oscillator(s, damaged);
    const std::string name = fmt::format("oscillator, hbar={:g}: ", hbar);
    checks.at_most(name + "autocorrelation against the exact one", worst_error(s, found), 1e-8,
                   "the step's error; the integral over phase space is exact");
    checks.at_most(name + "|C - exp(-it/2)|", found.prefactor, 1e-8, "the step's error");
    checks.absolute(name + "norm of the packet", found.norm, 1.0, 1e-8, "the step's error");
    Settings coarse = s;
    coarse.dt *= 4.0, coarse.steps /= 4, coarse.interval = 25;
    Settings middle = coarse;
    middle.dt *= 0.5, middle.steps *= 2, middle.interval *= 2;
    const double order = std::log2(worst_error(coarse, oscillator(coarse, false)) /
                                   worst_error(middle, oscillator(middle, damaged)));
    checks.absolute(name + "order of the autocorrelation's error", order, 4.0, 0.3,
                    "the next term of the error, at finite steps");
  }
}

Sums ensemble(harness::Run& run, const parallel::Communicator& world, const Settings& settings) {
  Sums sums = Ensemble(settings, world, run.phases()).run(Sums(settings));
  if (!run.damaged()) return sums;
  parallel::ExactSum more;
  more.add(0.3 * double(sums.done));
  for (auto& image : sums.images) image.merge(more.image());
  sums.worst_branch += 1.0;
  return sums;
}

Settings many(int n, double coupling, std::int64_t trajectories) {
  Settings s = system_of(Potential::henon_heiles, n, 0.05, 40);
  s.model.coupling = coupling, s.interval = 10;
  s.trajectories = s.part = trajectories;
  return s;
}

// Means over random trajectories against exact values, in standard deviations.
void verify_means(harness::Run& run, const parallel::Communicator& world, base::Checks& checks) {
  const Settings s = many(3, 0.0, 4000);
  const Sums sums = ensemble(run, world, s);
  for (std::int64_t i = 0; i < s.outputs(); ++i) {
    const double time = s.dt * double(i * s.interval);
    const double error = std::abs(sums.correlation(i) - harmonic_correlation(s, time));
    checks.at_most(fmt::format("three oscillators: error of the mean at time {:g}", time), error,
                   5.0 * sums.deviation(i) + 1e-6,
                   "five standard deviations, and the step's error");
  }
}

double difference(const Sums& a, const Sums& b) {
  double worst = a.done == b.done ? 0.0 : 1.0;
  for (std::size_t i = 0; i < a.images.size(); ++i)
    worst = std::max(worst, a.images[i] == b.images[i] ? 0.0 : 1.0);
  return worst;
}

// Parts, threads inside and lanes that are left over change nothing.
void verify_same_bits(harness::Run& run, const parallel::Communicator& world,
                      base::Checks& checks) {
  Settings s = many(5, 0.111803, 203);
  s.hbar = 0.5, s.width = 2.0;
  const Sums whole = Ensemble(s, world, run.phases()).run(Sums(s));
  constexpr const char* why = "sums are exact, and no trajectory knows of another";
  Settings parts = s;
  parts.part = 50;
  checks.equal("in parts: sums that differ", difference(whole, ensemble(run, world, parts)), 0.0,
               why);
  Settings inside = s;
  inside.inside = true;
  checks.equal("threads inside: sums that differ", difference(whole, ensemble(run, world, inside)),
               0.0, why);
}

}  // namespace

void check_ensemble(const Settings& s, const Sums& sums, base::Checks& checks) {
  const auto all = static_cast<double>(sums.done);
  const std::int64_t last = s.outputs() - 1;
  checks.equal("autocorrelation at time zero, lost trajectories added",
               sums.correlation(0).real() + sums.lost(0) / all, 1.0,
               "each trajectory adds exactly one");
  checks.at_most("share of lost trajectories", sums.lost(last) / all, 0.01,
                 "more would change the mean; take a smaller dt or energy");
  checks.at_most("largest departure of a determinant's phase, over pi", sums.worst_branch, 0.5,
                 "beyond, the branch of the root is a guess; take a smaller interval");
  if (is_harmonic(s)) {
    const double time = s.dt * double(last * s.interval);
    checks.at_most("error of the last autocorrelation",
                   std::abs(sums.correlation(last) - harmonic_correlation(s, time)),
                   5.0 * sums.deviation(last) + 0.1 * std::pow(s.dt, 4) * time * s.model.n + 1e-9,
                   "five standard deviations, and the step's error");
  }
}

void verify_correlations(harness::Run& run, const parallel::Communicator& world,
                         base::Checks& checks) {
  verify_oscillator(run.damaged(), checks);
  verify_means(run, world, checks);
  verify_same_bits(run, world, checks);
}

}  // namespace hakaru::apps::semiclassical
