#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/lattice_qcd/larger.hpp"
#include "apps/lattice_qcd/verify.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

struct Published {
  double beta, plaquette;
};
// Mean plaquettes of the Wilson action in large volumes, to the digits given.
constexpr Published published[] = {{5.7, 0.5490}, {5.8, 0.5677}, {6.0, 0.5937}, {6.2, 0.6136}};
constexpr double published_tolerance = 0.002;
constexpr int smallest_extent = 8;
constexpr std::int64_t fewest_sweeps = 50;

// Generates at `beta` on the trial's lattice, from `field`.
std::vector<double> generate(Trial& trial, GaugeField& field, double beta, int sweeps) {
  std::vector<double> plaquettes;
  for (int i = 0; i < sweeps; ++i) {
    sweep(field, {beta, 5, 1}, static_cast<std::uint64_t>(i), trial.timing);
    plaquettes.push_back(plaquette(field));
  }
  return plaquettes;
}

double damage(const Trial& trial, double by) { return trial.run.damaged() ? by : 0.0; }

// Each plaquette is in the staples of its four links.
void verify_staples(Trial& trial, const GaugeField& field) {
  parallel::ExactSum sum;
  for (std::int64_t i = 0; i < product(trial.place.local); ++i)
    for (int axis = 0; axis < axes; ++axis) {
      const Extents x = point_of(i, trial.place.local);
      sum.add(trace_of_product(field.at(x, axis), staples(field, x, axis)));
    }
  const double sites = static_cast<double>(trial.place.lattice.sites());
  const double mean = parallel::exact_sum(trial.world, sum) / (72.0 * sites);
  trial.checks.absolute("plaquette by links times staples", mean + damage(trial, 1e-3),
                        plaquette(field), 1e-13, "the same traces in another order");
}

void verify_starts(Trial& trial) {
  GaugeField field = trial.field();
  start_cold(field);
  trial.checks.absolute("plaquette of cold links", plaquette(field) + damage(trial, 1e-3), 1.0,
                        1e-14, "a product of ones");
  start_random(field, 5);
  // Re Tr U of Haar's measure has variance 1/2.
  const double sites = static_cast<double>(trial.place.lattice.sites());
  trial.checks.absolute("plaquette of random links", plaquette(field) + damage(trial, 0.1), 0.0,
                        5.0 / std::sqrt(18.0 * 6.0 * sites), "five standard deviations");
  verify_staples(trial, field);
}

void verify_over_relaxation(Trial& trial) {
  GaugeField field = trial.field();
  start_random(field, 6);
  generate(trial, field, 6.0, 2);
  const double before = plaquette(field);
  GaugeField after = field;
  over_relax(after, trial.timing);
  trial.checks.absolute("plaquette after over-relaxation", plaquette(after) + damage(trial, 1e-3),
                        before, 1e-13, "over-relaxation keeps the action");
  const double inside = after.distance_from_su3();
  trial.checks.at_most("links after updates, distance from SU(3)",
                       trial.world.maximum(without_nan(inside)) + damage(trial, 1e-3), 1e-13,
                       "they are made orthonormal after each update");
}

void verify_plaquettes(Trial& trial) {
  GaugeField field = trial.field();
  start_random(field, 8);
  const Mean strong = mean_of_second_half(generate(trial, field, 1.0, 40));
  trial.checks.absolute("plaquette at beta = 1", strong.mean + damage(trial, 0.1),
                        1.0 / 18.0 + 1.0 / 216.0, 5.0 * strong.error + 1e-3,
                        "strong coupling, beta/18 + beta^2/216; statistics");
  start_cold(field);
  const Mean weak = mean_of_second_half(generate(trial, field, 6.0, 40));
  trial.checks.absolute(
      "plaquette at beta = 6", weak.mean + damage(trial, 0.1), 0.5937, 0.015,
      "published for large volumes; this lattice is small, and so are statistics");
}

}  // namespace

Mean mean_of_second_half(const std::vector<double>& values) {
  const std::size_t first = values.size() / 2, count = values.size() - first;
  const std::size_t bins = std::min<std::size_t>(10, count);
  double sum = 0.0, squares = 0.0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = first + count * bin / bins, end = first + count * (bin + 1) / bins;
    double mean = 0.0;
    for (std::size_t i = begin; i < end; ++i) mean += values[i] / static_cast<double>(end - begin);
    sum += mean;
    squares += mean * mean;
  }
  const double n = static_cast<double>(bins), mean = sum / n;
  const double variance = bins > 1 ? std::max(0.0, squares / n - mean * mean) / (n - 1.0) : 0.0;
  return {mean, std::sqrt(variance)};
}

double timed_plaquette(const GaugeField& field, const Timing& timing) {
  parallel::ExactSum sum;
  {
    auto phase = timing.in(timing.plaquette);
    sum = plaquette_sum(field);
  }
  auto phase = timing.in(timing.reduction);
  return plaquette(field, sum);
}

void check_generated(const GaugeField& gauge, std::int64_t sweeps, double beta,
                     const std::vector<double>& plaquettes, base::Checks& checks) {
  checks.at_most("links, distance from SU(3)",
                 gauge.ranks().maximum(without_nan(gauge.distance_from_su3())), 1e-13,
                 "they are made orthonormal after each update");
  const Extents n = gauge.place().lattice.extents;
  const Mean seen = mean_of_second_half(plaquettes);
  const std::string result = fmt::format("mean plaquette {:.5f} +- {:.5f}", seen.mean, seen.error);
  for (const Published& known : published)
    if (known.beta == beta && *std::min_element(n.begin(), n.end()) >= smallest_extent &&
        sweeps >= fewest_sweeps) {
      checks.absolute("mean plaquette of the second half", seen.mean, known.plaquette,
                      published_tolerance + 4.0 * seen.error,
                      fmt::format("published for large volumes to about {}, and four standard "
                                  "deviations: {}",
                                  published_tolerance, result));
      return;
    }
  checks.at_most("mean plaquette of the second half", seen.mean, 1.0, result);
}

void verify_gauge(Trial& trial) {
  verify_starts(trial);
  verify_over_relaxation(trial);
  verify_plaquettes(trial);
}

}  // namespace hakaru::apps::lattice_qcd
