#include "apps/multiblock_flow/verify.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/multiblock_flow/exact_flows.hpp"
#include "apps/multiblock_flow/joining.hpp"
#include "apps/multiblock_flow/solution_check.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

struct Published {
  int cells;
  double error;
};
// Mean |difference of densities| of an independent program with the same scheme: Sod's tube at 0.2
// with steps of 0.5 / lambda, the vortex at 1 with steps of 0.4 / lambda.
constexpr Published sod_first[] = {{50, 2.92139e-2}, {100, 1.97846e-2}, {200, 1.24765e-2}};
constexpr Published vortex_first[] = {{32, 9.84457e-3}, {64, 5.72217e-3}, {128, 3.12801e-3}};
constexpr Published vortex_muscl[] = {{32, 8.10026e-4}, {64, 1.27398e-4}, {128, 1.90551e-5}};

struct Trial {
  Trial(harness::Run& run_, base::Checks& checks_)
      : run(run_), checks(checks_), timing(run_.phases()), ranks(parallel::Communicator::world()) {}

  // Runs to `end`, or `steps` steps when that is infinite; spoiled where the user asked for it.
  std::unique_ptr<Solver> flow(const Problem& problem, Scheme scheme, double end, int steps = 0,
                               const Index& parts = {0, 0, 0}, bool may_spoil = true,
                               double cfl = 0.5) {
    division = divide(problem.topology, parts, ranks.size());
    auto solver = std::make_unique<Solver>(problem, division, scheme, cfl, ranks, timing);
    solver->restart();
    for (int step = 0; std::isfinite(end) ? solver->time() < end : step < steps; ++step)
      solver->step(end);
    if (run.damaged() && may_spoil)
      for (Local& local : solver->blocks())
        if (local.number == 0)
          for (int u = 0; u < unknowns; ++u) *local.now.at(u, 0, 0, 0) *= 2.0;
    return solver;
  }

  harness::Run& run;
  base::Checks& checks;
  Timing timing;
  parallel::Communicator ranks;
  Division division;
};

template <typename Use>
void for_cells(const Solver& solver, const Use& use) {
  for (const Local& local : solver.blocks())
    for (int k = 0; k < local.cells[2]; ++k)
      for (int j = 0; j < local.cells[1]; ++j)
        for (int i = 0; i < local.cells[0]; ++i) use(local, Index{i, j, k});
}

Index in_zone(const Local& local, Index cell) {
  for (int axis = 0; axis < axes; ++axis) cell[axis] += local.block.cells.begin[axis];
  return cell;
}

Vector centre(const Solver& solver, const Local& local, const Index& cell) {
  return centre_of(solver.problem().nodes[static_cast<std::size_t>(local.block.zone)],
                   in_zone(local, cell));
}

// Mean over all cells of `value(local, cell)`.
template <typename Value>
double mean(const Solver& solver, const Value& value) {
  parallel::ExactSum sum;
  for_cells(solver, [&](const Local& local, const Index& cell) { sum.add(value(local, cell)); });
  return parallel::exact_sum(solver.ranks(), sum) /
         static_cast<double>(cells_of(solver.problem().topology));
}

template <typename Exact>
double density_error(const Solver& solver, const Exact& exact) {
  return mean(solver, [&](const Local& local, const Index& cell) {
    return std::abs(local.now.get(cell)[0] - exact(centre(solver, local, cell)));
  });
}

// All unknowns of all cells of the only zone, on every rank: small ones.
std::vector<double> gathered(const Solver& solver) {
  const Index n = solver.problem().topology[0].cells;
  std::vector<double> numbers(static_cast<std::size_t>(unknowns * Box{{}, n}.cells()));
  for_cells(solver, [&](const Local& local, const Index& cell) {
    const Index at = in_zone(local, cell);
    const State state = local.now.get(cell);
    const std::size_t place =
        static_cast<std::size_t>((static_cast<std::int64_t>(at[2]) * n[1] + at[1]) * n[0] + at[0]);
    std::copy(state.begin(), state.end(), &numbers[unknowns * place]);
  });
  solver.ranks().sum(numbers);
  return numbers;
}

double largest_change(const Solver& solver) {
  double largest = 0.0;
  for_cells(solver, [&](const Local& local, const Index& cell) {
    const State first = local.first.get(cell), now = local.now.get(cell);
    for (int u = 0; u < unknowns; ++u) {
      const double change = std::abs(now[u] - first[u]);
      if (!(change <= largest)) largest = change;
    }
  });
  return solver.ranks().maximum(largest);
}

// Of mass (0) ... energy (4) in all cells, relative to what it was at first.
double drift(const Solver& solver, int unknown) {
  parallel::ExactSum sums[2];
  for_cells(solver, [&](const Local& local, const Index& cell) {
    const double volume = 1.0 / *local.metrics.at(inverse_volume, cell[0], cell[1], cell[2]);
    sums[0].add(volume * local.first.get(cell)[static_cast<std::size_t>(unknown)]);
    sums[1].add(volume * local.now.get(cell)[static_cast<std::size_t>(unknown)]);
  });
  const auto totals = parallel::exact_sums(solver.ranks(), sums);
  return std::abs(totals[1] / totals[0] - 1.0);
}

void check_sums(const Solver& solver, base::Checks& checks, const std::string& of) {
  for (const int unknown : {0, 4})
    checks.at_most(fmt::format("drift of the {} of {}", unknown == 0 ? "mass" : "energy", of),
                   drift(solver, unknown), 1e-13,
                   "what leaves a cell enters the next: roundings alone");
}

void verify_tubes(Trial& trial) {
  for (const Published& one : sod_first) {
    const Problem problem = built_in({Case::tube, Shape::cartesian, {one.cells, 1, 1}, 0});
    const auto solver = trial.flow(problem, Scheme::first, 0.2);
    trial.checks.relative(
        fmt::format("shock tube, first order, {} cells: mean error of density", one.cells),
        density_error(*solver, [](const Vector& x) { return sod_density(x[0] / 0.2); }), one.error,
        1e-5, "an independent program's, printed to six digits");
  }
  std::vector<double> along_x;
  for (int axis = 0; axis < axes; ++axis) {
    Index cells{1, 1, 1};
    cells[axis] = 128;
    const Problem problem = built_in({Case::tube, Shape::cartesian, cells, axis});
    const auto solver = trial.flow(problem, Scheme::limited, 0.2, 0, {}, axis > 0);
    std::vector<double> numbers = gathered(*solver);
    for (std::size_t c = 0; c < numbers.size(); c += unknowns)
      std::swap(numbers[c + 1], numbers[c + 1 + axis]);
    if (axis == 0) {
      along_x = numbers;
      continue;
    }
    double largest = 0.0;
    for (std::size_t c = 0; c < numbers.size(); ++c)
      largest = std::max(largest, std::abs(numbers[c] - along_x[c]));
    trial.checks.equal(fmt::format("shock tube along {} against along x", "xyz"[axis]), largest,
                       0.0, "the same operations on numbers in another place");
  }
  const Problem problem = built_in({Case::tube, Shape::cartesian, {200, 1, 1}, 0});
  const auto solver = trial.flow(problem, Scheme::limited, 0.2);
  trial.checks.at_most(
      "shock tube, limited, 200 cells: mean error of density",
      density_error(*solver, [](const Vector& x) { return sod_density(x[0] / 0.2); }),
      0.4 * sod_first[2].error, "a second-order scheme has less than half of the first's error");
}

void verify_vortex(Trial& trial, Scheme scheme, const char* name, const Published& one) {
  const Problem problem = built_in({Case::vortex, Shape::cartesian, {one.cells, one.cells, 1}, 0});
  const auto solver = trial.flow(problem, scheme, 1.0, 0, {}, true, 0.4);
  trial.checks.relative(
      fmt::format("vortex, {}, {} x {} cells: mean error of density", name, one.cells, one.cells),
      density_error(*solver, [](const Vector& x) { return vortex_density(x, 1.0); }), one.error,
      1e-5, "an independent program's, printed to six digits");
  check_sums(*solver, trial.checks, fmt::format("the vortex, {}, {} cells", name, one.cells));
}

void verify_steady(Trial& trial) {
  for (const Scheme scheme : {Scheme::first, Scheme::limited})
    for (int axis = 0; axis < axes; ++axis) {
      Index cells{6, 5, 7};
      cells[axis] = 16;
      const Problem problem = built_in({Case::contact, Shape::cartesian, cells, axis});
      const auto solver = trial.flow(problem, scheme, INFINITY, 10);
      trial.checks.equal(fmt::format("contact at rest along {}, {}", "xyz"[axis],
                                     scheme == Scheme::first ? "first order" : "limited"),
                         largest_change(*solver), 0.0, "its mass flux is zero to the bit");
    }
  for (const Scheme scheme : {Scheme::first, Scheme::muscl}) {
    const Problem problem = built_in({Case::uniform, Shape::wavy, {14, 12, 10}, 0});
    const auto solver = trial.flow(problem, scheme, INFINITY, 10);
    trial.checks.at_most(fmt::format("uniform flow on a wavy grid, {}",
                                     scheme == Scheme::first ? "first order" : "MUSCL"),
                         largest_change(*solver), 1e-13,
                         "faces of a cell close, so that fluxes cancel but for rounding");
  }
}

void verify_blocks(Trial& trial) {
  for (const Scheme scheme : {Scheme::first, Scheme::muscl, Scheme::limited}) {
    const Problem problem = built_in({Case::vortex, Shape::wavy, {21, 18, 9}, 0});
    const auto one = trial.flow(problem, scheme, INFINITY, 6, {0, 0, 0}, false);
    const std::string whole = digest_of(*one, &Local::now);
    const auto many = trial.flow(problem, scheme, INFINITY, 6, {5, 3, 2});
    trial.checks.equal(fmt::format("30 blocks against the fewest, {}: digests that differ",
                                   scheme == Scheme::first   ? "first order"
                                   : scheme == Scheme::muscl ? "MUSCL"
                                                             : "limited"),
                       whole == digest_of(*many, &Local::now) ? 0.0 : 1.0, 0.0,
                       "the same operations on the same numbers");
  }
}

// The vortex in two zones, one of which counts y along i and -x along j.
Problem turned_vortex(int n) {
  const Problem whole = built_in({Case::vortex, Shape::wavy, {n, n, 4}, 0});
  Problem two = whole;
  const int half = n / 2;
  two.topology = {Zone{{half, n, 4}, {}}, Zone{{n, half, 4}, {}}};
  const Nodes nodes = whole.nodes[0];
  two.nodes = {nodes, [=](const Index& c) { return nodes({n - c[1], c[0], c[2]}); }};
  join(two, 0, 1, 1, 3, {});
  join(two, 0, 0, 1, 2, {10.0, 0.0, 0.0});
  join(two, 0, 2, 0, 3, {0.0, 10.0, 0.0});
  join(two, 1, 0, 1, 1, {0.0, 10.0, 0.0});
  const double depth = 10.0 * 4 / n;
  for (const int zone : {0, 1}) join(two, zone, 4, zone, 5, {0.0, 0.0, depth});
  return two;
}

void verify_zones(Trial& trial) {
  const int n = 16;
  for (const Scheme scheme : {Scheme::first, Scheme::muscl}) {
    const Problem whole = built_in({Case::vortex, Shape::wavy, {n, n, 4}, 0});
    const auto one = trial.flow(whole, scheme, 1.0, 0, {0, 0, 0}, false);
    const std::vector<double> wanted = gathered(*one);
    const auto two = trial.flow(turned_vortex(n), scheme, 1.0);
    double largest = 0.0;
    for_cells(*two, [&](const Local& local, const Index& cell) {
      Index at = in_zone(local, cell);
      if (local.block.zone == 1) at = {n - 1 - at[1], at[0], at[2]};
      const State state = local.now.get(cell);
      for (int u = 0; u < unknowns; ++u)
        largest = std::max(
            largest, std::abs(state[u] - wanted[static_cast<std::size_t>(
                                             unknowns * ((at[2] * n + at[1]) * n + at[0]) + u)]));
    });
    trial.checks.at_most(fmt::format("two zones, one of them turned, against one, {}",
                                     scheme == Scheme::first ? "first order" : "MUSCL"),
                         trial.ranks.maximum(largest), 1e-12,
                         "sums in another order, over some tens of steps");
  }
}

}  // namespace

void check_flow(const Solver& solver, base::Checks& checks) {
  double least = INFINITY;
  for_cells(solver, [&](const Local& local, const Index& cell) {
    const State q = local.now.get(cell);
    const double kinetic = 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0];
    const double smaller = std::min(q[0], q[4] - kinetic);
    if (!(smaller >= least)) least = std::isnan(smaller) ? -INFINITY : smaller;
  });
  checks.at_least("least density or inner energy", solver.ranks().minimum(least), 1e-12,
                  "a gas has both above zero");
  if (solver.problem().closed) check_sums(solver, checks, "the flow");
  if (solver.problem().uniform)
    checks.at_most("change of the uniform flow", largest_change(solver), 1e-10,
                   "faces of a cell close; roundings add up over the steps");
}

void verify_everything(harness::Run& run, base::Checks& checks) {
  Trial trial(run, checks);
  verify_tubes(trial);
  for (const Published& one : vortex_first) verify_vortex(trial, Scheme::first, "first order", one);
  for (const Published& one : vortex_muscl) verify_vortex(trial, Scheme::muscl, "MUSCL", one);
  verify_steady(trial);
  verify_blocks(trial);
  verify_zones(trial);
}

}  // namespace hakaru::apps::multiblock_flow
