// LINPACK: a dense linear system by LU with partial pivoting over a grid of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "apps/linpack/panel.hpp"
#include "apps/linpack/phases.hpp"
#include "apps/linpack/residual.hpp"
#include "apps/linpack/schedule.hpp"
#include "apps/linpack/solver.hpp"
#include "apps/linpack/verify.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::linpack {
namespace {

using base::Better;
using base::PhaseKind;

std::vector<std::string> route_names() {
  std::vector<std::string> names;
  for (const Named& one : routes) names.emplace_back(one.name);
  return names;
}

void declare_parameters(base::Description& d) {
  d.integer("n", 4000, 1, 100'000'000, "1", "order of the matrix")
      .integer("nb", 192, 1, 4096, "1", "width of panels and of blocks that ranks own in turn")
      .integer("p", 0, 0, 1'000'000, "1",
               "rows of the grid of ranks; 0: what q and the ranks leave")
      .integer(
          "q", 0, 0, 1'000'000, "1",
          "columns of the grid; 0: what p and the ranks leave; both 0: p <= q, near each other")
      .integer("look_ahead", 1, 0, 1, "1", "panels that are factorised ahead of the update")
      .choice("broadcast", "1ring-modified", route_names(),
              "how a panel goes along a row of the grid, by HPL's names")
      .choice("swap", "spread-roll", {"binary-exchange", "spread-roll"},
              "how rows change places along a column of the grid")
      .integer("panels", 0, 0, 100'000'000, "1",
               "eliminate only so many panels and solve nothing: a sample of the work; 0: all")
      .integer("seed", 1, 0, 1'000'000'000, "1", "of the random matrix")
      .preset("small", {{"n", 200}, {"nb", 24}}, "milliseconds")
      .preset("medium", {{"n", 4000}}, "a second or two")
      .preset("large", {{"n", 12'000}}, "half a minute on one core")
      .preset("long", {{"n", 25'000}}, "ten minutes on one core", 2);
}

void declare_phases(base::Description& d) {
  d.phase(phase::generate, PhaseKind::compute, "random matrix and right-hand side, not in the rate")
      .phase(phase::panel, PhaseKind::compute, "factorisation of panels")
      .phase(phase::pivot, PhaseKind::communicate, "largest element of a column, with its row")
      .phase(phase::broadcast, PhaseKind::communicate, "panels along rows of the grid")
      .phase(phase::swap, PhaseKind::communicate, "rows of pivots along columns of the grid")
      .phase(phase::update, PhaseKind::compute, "U = L^-1 U, and the product subtracted")
      .phase(phase::solve, PhaseKind::compute, "back substitution")
      .phase(phase::substitution, PhaseKind::communicate, "sums and parts of x in it");
}

class Linpack final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("linpack",
                        "LINPACK: dense linear system by LU with partial pivoting, block-cyclic");
    declare_parameters(d);
    declare_phases(d);
    d.metric("rate", "flop/s", Better::higher,
             "2/3 n^3 + 3/2 n^2 operations over the time of "
             "elimination and solution")
        .verifies({},
                  "each broadcast, swap and look-ahead on each grid of the ranks, against plain "
                  "elimination");
    return d.size_meaning("order of the matrix");
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    return size_of(problem_of(parameters, layout.ranks));
  }

  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    const Problem problem = problem_of(parameters, layout.ranks);
    if (problem.grid.rows == 0)
      return fmt::format("a grid of p={} by q={} has not {} ranks", parameters.integer("p"),
                         parameters.integer("q"), layout.ranks);
    const std::int64_t rows = problem.rows_below(problem.n, 0);
    const std::int64_t columns = problem.columns_below(problem.n, 0) + 1;
    const std::int64_t longest =
        std::max(Panel::doubles_of(rows, std::min(problem.nb, problem.n)), problem.nb * columns);
    if (longest > std::numeric_limits<int>::max())
      return fmt::format("a message would have {} numbers, and MPI counts to {}", longest,
                         std::numeric_limits<int>::max());
    return "";
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    return rank_schedule(problem_of(parameters, layout.ranks));
  }

  void prepare(harness::Run& run) override {
    world_.emplace(parallel::Communicator::world());
    solver_.emplace(problem_of(run.parameters(), world_->size()), *world_, run.phases(),
                    run.layout().threads);
  }

  void repeat(harness::Run& run) override {
    solver_->generate();
    const double begin = base::now_s();
    solver_->run();
    run.metrics().add("rate",
                      solver_->problem().operations() / std::max(base::now_s() - begin, 1e-12));
  }

  void check(harness::Run&, base::Checks& checks) override {
    const char* reason = "HPL's limit";
    if (!solver_->problem().whole()) {
      checks.at_most("scaled residual of what is eliminated", partial_residual(*solver_),
                     residual_limit, reason);
      return;
    }
    const Residuals found = residuals_of(*solver_);
    checks.at_most("scaled residual", found.scaled, residual_limit, reason);
    checks.at_most("residual over eps |A|_1 n", found.by_order, residual_limit, reason);
    checks.at_most("residual over eps |A|_1 |x|_1", found.by_one_norms, residual_limit, reason);
    checks.at_most("residual over eps |A|_oo |x|_oo", found.by_largest, residual_limit, reason);
  }

  void verify(harness::Run& run, base::Checks& checks) override { verify_all(run, checks); }

 private:
  std::optional<parallel::Communicator> world_;
  std::optional<Solver> solver_;
};

}  // namespace
}  // namespace hakaru::apps::linpack

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::linpack::Linpack>();
}
