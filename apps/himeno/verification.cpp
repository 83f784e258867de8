#include "apps/himeno/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "apps/himeno/exact.hpp"
#include "apps/himeno/reference.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::himeno {
namespace {

using parallel::Communicator;

const char* name_of(Precision precision) {
  return precision == Precision::single_precision ? "single" : "double";
}

double unit_roundoff(Precision precision) {
  return precision == Precision::single_precision ? 0.5 * std::numeric_limits<float>::epsilon()
                                                  : 0.5 * std::numeric_limits<double>::epsilon();
}

// A residual r is the small difference of pressures of order one: an error of u, the unit roundoff,
// in every r (from rounding, and from a3 = 1/6, which no binary number equals) changes the sum of
// r^2 over N points by at most 2 u sqrt(N gosa) + N u^2 (Cauchy-Schwarz). For size M in single
// precision that is 0.6 % of gosa.
double gosa_tolerance(double gosa, double points, Precision precision) {
  const double u = unit_roundoff(precision);
  const double relative = precision == Precision::single_precision ? 1e-3 : 1e-9;
  return std::max(relative * gosa, 2.0 * u * std::sqrt(points * gosa) + points * u * u);
}

void check_table(const std::string& size_name, const Grid& grid, Precision precision,
                 std::int64_t iterations, double gosa, const std::string& label,
                 base::Checks& checks) {
  const auto known = tabulated_gosa(size_name, iterations);
  if (!known) return;
  const double tolerance = gosa_tolerance(*known, grid.interior_points(), precision) / *known;
  checks.relative(label + "gosa of the table", gosa, *known, tolerance,
                  precision == Precision::double_precision
                      ? "the table has ten digits"
                      : "1/6 and pressures of order one, rounded to 24 bits, in every residual");
}

std::vector<Ranks> every_decomposition(const Grid& grid, int ranks) {
  std::vector<Ranks> found;
  for (int dimensions = 0; dimensions <= 3; ++dimensions) {
    const Choice choice = choose_ranks(grid, ranks, {dimensions, {0, 0, 0}});
    if (choice.refusal.empty() &&
        std::find(found.begin(), found.end(), choice.ranks) == found.end())
      found.push_back(choice.ranks);
  }
  const Choice across = choose_ranks(grid, ranks, {0, {ranks, 1, 1}});
  if (across.refusal.empty() && std::find(found.begin(), found.end(), across.ranks) == found.end())
    found.push_back(across.ranks);
  return found;
}

// Largest over methods of the distance from the plain loop, for pressure and for gosa.
void verify_against_plain_loop(harness::Run& run, const Communicator& world, const Problem& problem,
                               const Ranks& ranks, Precision precision, base::Checks& checks) {
  constexpr std::int64_t iterations = 6;
  const ReferenceResult reference = precision == Precision::single_precision
                                        ? reference_solution<float>(problem, iterations)
                                        : reference_solution<double>(problem, iterations);
  double pressure = 0.0, gosa_error = 0.0;
  auto worse = [](double& largest, double value) {
    if (!(value <= largest)) largest = value;
  };
  for (Exchange exchange : {Exchange::packed, Exchange::datatypes})
    for (bool streaming : {false, true}) {
      const auto solver = make_solver(problem, ranks, {precision, exchange, streaming});
      solver->reset();
      if (run.damaged()) solver->damage();
      double gosa = 0.0;
      for (std::int64_t i = 0; i < iterations; ++i) gosa = solver->iterate(run.phases());
      worse(pressure, solver->distance(reference.pressure));
      worse(gosa_error, std::abs(gosa - reference.gosa) / reference.gosa);
    }
  const bool sound = world.all(std::isfinite(pressure));
  pressure = sound ? world.maximum(pressure) : std::numeric_limits<double>::quiet_NaN();
  const double limit = 40.0 * iterations * unit_roundoff(precision);
  const std::string label =
      fmt::format("{} precision, {} x {} x {} ranks, rough coefficients: ", name_of(precision),
                  ranks[0], ranks[1], ranks[2]);
  checks.at_most(label + "pressure from the plain loop", pressure, limit,
                 "the same operations in another order: some 40 roundings per iteration");
  checks.at_most(label + "gosa from the plain loop, relative", gosa_error, limit,
                 "the same operations in another order: some 40 roundings per iteration");
}

void verify_standard(harness::Run& run, const Communicator& world, const std::string& size_name,
                     const Grid& grid, Precision precision,
                     const std::vector<std::int64_t>& checkpoints, base::Checks& checks) {
  const Problem problem{grid, Kind::standard};
  const Choice choice = choose_ranks(grid, world.size(), {});
  if (!choice.refusal.empty()) return;
  const auto solver = make_solver(problem, choice.ranks, {precision, Exchange::packed, false});
  solver->reset();
  if (run.damaged()) solver->damage();
  double gosa = 0.0;
  for (std::int64_t i = 1; i <= checkpoints.back(); ++i) {
    const bool checked = std::find(checkpoints.begin(), checkpoints.end(), i) != checkpoints.end();
    gosa = checked ? solver->iterate_exactly(run.phases()) : solver->iterate(run.phases());
    if (!checked) continue;
    check_standard(*solver, grid, size_name, precision, i, gosa,
                   fmt::format("{} precision, {} x {} x {}, {} iterations: ", name_of(precision),
                               grid.x, grid.y, grid.z, i),
                   checks);
  }
}

}  // namespace

void check_standard(const Solver& solver, const Grid& grid, const std::string& size_name,
                    Precision precision, std::int64_t iterations, double gosa,
                    const std::string& label, base::Checks& checks) {
  const auto world = Communicator::world();
  const Exact share = exact_share(grid, iterations, world.rank(), world.size());
  const auto exact = parallel::exact_sums(world, std::array{share.gosa, share.pressure_sum});
  const Solver::Summary summary = solver.summary();
  const double points = grid.interior_points();
  const double rounding = 10.0 * unit_roundoff(precision) * static_cast<double>(iterations);
  check_table(size_name, grid, precision, iterations, gosa, label, checks);
  checks.absolute(label + "gosa of the exact solution", gosa, exact[0],
                  gosa_tolerance(exact[0], points, precision),
                  "rounding of pressures of order one in every residual");
  checks.absolute(
      label + "mean pressure of the exact solution", summary.sum / points, exact[1] / points,
      rounding + 1e-13,
      "the step never enlarges an error, so roundings of ten operations add up at most linearly");
  checks.at_most(label + "pressure outside of 0 to 1",
                 std::max(-summary.minimum, summary.maximum - 1.0), rounding,
                 "each step takes a weighted mean of pressures between 0 and 1");
}

void verify_everything(harness::Run& run, base::Checks& checks) {
  const auto world = Communicator::world();
  Problem rough{{19, 12, 11}, Kind::rough};
  while (!choose_ranks(rough.grid, world.size(), {}).refusal.empty())
    rough.grid = {2 * rough.grid.x + 1, 2 * rough.grid.y + 1, 2 * rough.grid.z + 1};
  for (Precision precision : {Precision::single_precision, Precision::double_precision}) {
    run.progress(precision == Precision::single_precision ? 0.0 : 0.4, "verify");
    for (const Ranks& ranks : every_decomposition(rough.grid, world.size()))
      verify_against_plain_loop(run, world, rough, ranks, precision, checks);
    verify_standard(run, world, "custom", {37, 22, 29}, precision, {1, 57}, checks);
    verify_standard(run, world, "XS", {64, 32, 32}, precision, {1, 3, 10, 100}, checks);
    verify_standard(run, world, "S", {128, 64, 64}, precision, {1, 3, 10}, checks);
  }
}

}  // namespace hakaru::apps::himeno
