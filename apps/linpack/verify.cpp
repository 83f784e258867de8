#include "apps/linpack/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/linpack/reference.hpp"
#include "apps/linpack/residual.hpp"
#include "apps/linpack/solver.hpp"

namespace hakaru::apps::linpack {
namespace {

// Worst of several solutions of one problem; NaN is worse than everything.
struct Worst {
  double residual = 0.0, error = 0.0, pivots = 0.0;
  static void keep(double& worst, double value) {
    if (!(value <= worst))
      worst = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  }
};

constexpr const char* residual_reason = "HPL's limit";
constexpr const char* error_reason =
    "2^-53 times condition numbers that matrices of this order have: below 10^7";
constexpr const char* pivots_reason = "the largest element of a column is no matter of division";

class Verification {
 public:
  explicit Verification(harness::Run& run) : run_(run), world_(parallel::Communicator::world()) {}

  // On every grid.
  void solve(Problem problem, const Eliminated& reference, Worst& worst) {
    for (int p = 1; p <= world_.size(); ++p) {
      if (world_.size() % p != 0) continue;
      problem.grid = {p, world_.size() / p};
      Solver solver(problem, world_, run_.phases(), run_.layout().threads);
      eliminate(solver);
      Worst::keep(worst.residual, residuals_of(solver).scaled);
      const std::vector<double> x = solver.solution();
      double largest = 0.0, difference = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        Worst::keep(largest, std::abs(reference.x[i]));
        Worst::keep(difference, std::abs(x[i] - reference.x[i]));
      }
      Worst::keep(worst.error, difference / largest);
      const std::vector<std::int64_t> pivots = solver.pivots();
      double others = 0.0;
      for (std::size_t k = 0; k < pivots.size(); ++k) others += pivots[k] != reference.pivots[k];
      Worst::keep(worst.pivots, others);
    }
  }

  // Its worst residual on grids of up to so many rows, of a problem that is compared with nothing.
  double residual(Problem problem, int most_rows) {
    Worst worst;
    for (int p = 1; p <= std::min(most_rows, world_.size()); ++p) {
      if (world_.size() % p != 0) continue;
      problem.grid = {p, world_.size() / p};
      Solver solver(problem, world_, run_.phases(), run_.layout().threads);
      eliminate(solver);
      Worst::keep(worst.residual,
                  problem.whole() ? residuals_of(solver).scaled : partial_residual(solver));
    }
    return worst.residual;
  }

  static void add(base::Checks& checks, const Worst& worst, const std::string& name) {
    checks.at_most("scaled residual, " + name, worst.residual, residual_limit, residual_reason);
    checks.at_most("distance from plain elimination, " + name, worst.error, 1e-9, error_reason);
    checks.equal("pivots that differ from plain elimination, " + name, worst.pivots, 0.0,
                 pivots_reason);
  }

 private:
  void eliminate(Solver& solver) {
    solver.generate();
    if (run_.damaged()) solver.damage();
    solver.run();
  }

  harness::Run& run_;
  parallel::Communicator world_;
};

// Routes begin with one and the other in turn, and each goes with both.
Swap other(Swap swap) {
  return swap == Swap::binary_exchange ? Swap::spread_roll : Swap::binary_exchange;
}

Problem of_order(std::int64_t n, std::int64_t nb) {
  Problem problem;
  problem.n = n;
  problem.nb = nb;
  return problem;
}

}  // namespace

void verify_all(harness::Run& run, base::Checks& checks) {
  Verification verification(run);
  Problem problem = of_order(61, 6);
  const Eliminated reference = plain_elimination(problem.seed, problem.n);
  Swap swap = Swap::binary_exchange;
  for (const Named& one : routes) {
    Worst worst;
    problem.route = one.route;
    for (const int ahead : {1, 0}) {
      problem.look_ahead = ahead;
      problem.swap = swap;
      verification.solve(problem, reference, worst);
      swap = other(swap);
    }
    swap = other(swap);
    Verification::add(checks, worst, one.name);
  }
  for (const auto& [n, nb] : {std::pair{3, 8}, {64, 64}, {90, 20}}) {
    Worst worst;
    verification.solve(of_order(n, nb), plain_elimination(1, n), worst);
    Verification::add(checks, worst, fmt::format("order {}, blocks of {}", n, nb));
  }
  problem = of_order(61, 6);
  problem.panels = 5;
  const int all = run.layout().ranks;
  checks.at_most("scaled residual after five panels", verification.residual(problem, all),
                 residual_limit, residual_reason);
  // The smallest that the threads of the BLAS share.
  checks.at_most("scaled residual, order 512", verification.residual(of_order(512, 128), 1),
                 residual_limit, residual_reason);
}

}  // namespace hakaru::apps::linpack
