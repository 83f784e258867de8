// SP of the NAS Parallel Benchmarks: compressible flow by an implicit scheme with pentadiagonal
// systems along all lines of the grid.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "apps/sp/schedule.hpp"
#include "apps/sp/solver.hpp"
#include "native/base/require.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::sp {
namespace {

using base::Better;
using base::Layout;
using base::Parameters;
using base::PhaseKind;

// On 12 and on 36 points all that differs from the steady state has decayed by half of this time.
constexpr double time_to_steady_state = 30.0;

constexpr const char* names[components] = {"density", "momentum x", "momentum y", "momentum z",
                                           "energy"};

class Sp final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("sp", "NAS SP: compressible flow, scalar pentadiagonal systems");
    d.choice("class", "S", {"S", "W", "A", "B", "custom"},
             "points in each direction, iterations, time step: S 12, 100, 0.015; W 36, 400, "
             "0.0015; A 64, 400, 0.0015; B 102, 400, 0.001; custom n, 100, 0.0015")
        .integer("n", 12, 7, 100'000, "1", "points in each direction, for class=custom")
        .integer("iterations", 0, 0, 1'000'000'000, "1", "iterations; 0: the class's")
        .real("dt", 0.0, 0.0, 1.0, "1", "time step; 0: the class's")
        .choice("style", "direct", {"direct", "published"},
                "direct: two layouts, few moves; published: moves, barriers and reductions as "
                "Table 5 of the AP1000+ paper counts them")
        .preset("small", {{"class", "S"}}, "a tenth of a second")
        .preset("medium", {{"class", "A"}, {"iterations", 20}}, "seconds")
        .preset("ap1000plus", {{"class", "A"}, {"iterations", 10}, {"style", "published"}},
                "the paper's, on 64 PEs")
        .preset("long", {{"class", "W"}, {"iterations", 50'000}}, "ten minutes on one core", 2)
        .phase(phase::reset, PhaseKind::compute, "the initial state")
        .phase(phase::primitives, PhaseKind::compute,
               "velocities and speed of sound for all layouts, style=published only")
        .phase(phase::differences, PhaseKind::compute, "right-hand side along one direction")
        .phase(phase::solve, PhaseKind::compute,
               "pentadiagonal systems along one direction, and the eigenvectors around them")
        .phase(phase::add, PhaseKind::compute, "new state, style=published only")
        .phase(phase::move, PhaseKind::communicate, "arrays from one layout to another")
        .phase(phase::norm, PhaseKind::compute, "distance from the exact solution")
        .phase(phase::barrier, PhaseKind::communicate,
               "after each parallel loop, style=published only")
        .metric("rate", "flop/s", Better::higher,
                "NPB's count of operations over the time of the iterations (Mop/s x 10^6)")
        .verifies({"style"}, "class S, in both styles")
        .size_meaning("points in each direction");
    return d;
  }

  std::string refuse(const Parameters& parameters, const Layout& layout) const override {
    return plan_of(parameters, layout.ranks).n < layout.ranks
               ? "each rank needs at least one plane of points"
               : "";
  }
  base::Work work(const Parameters& parameters, const Layout& layout) const override {
    return size_of(plan_of(parameters, layout.ranks));
  }
  harness::RankSchedule schedule(const Parameters& parameters,
                                 const Layout& layout) const override {
    return rank_schedule(plan_of(parameters, layout.ranks));
  }

  void prepare(harness::Run& run) override {
    world_.emplace(parallel::Communicator::world());
    plan_ = plan_of(run.parameters(), run.layout().ranks);
    solver_ = std::make_unique<Solver>(plan_, *world_, run.phases());
  }

  void repeat(harness::Run& run) override {
    solver_->run();
    run.metrics().add("rate", nominal_operations(plan_.n) * static_cast<double>(plan_.iterations) /
                                  std::max(solver_->iterations_s(), 1e-12));
  }

  void check(harness::Run& run, base::Checks& checks) override {
    if (published_norms(plan_))
      check_norms(checks, plan_, *solver_, "");
    else
      check_progress(run, checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    world_.emplace(parallel::Communicator::world());
    const int ranks = run.layout().ranks;
    for (const Style style : {Style::direct, Style::published}) {
      const Plan plan{12, 100, 0.015, style, ranks};
      if (plan.n < ranks) continue;
      Solver solver(plan, *world_, run.phases());
      solver.sum_exactly();
      if (run.damaged()) solver.damage();
      solver.run();
      const std::string how = style == Style::direct ? ", direct" : ", published";
      check_norms(checks, plan, solver, how);
      check_steady(checks, solver, how);
    }
    if (ranks > 12)
      throw base::UserError(base::ExitCode::usage,
                            base::explain("nothing to verify", "class S has 12 planes",
                                          "verify with at most 12 ranks"));
  }

 private:
  void check_norms(base::Checks& checks, const Plan& plan, Solver& solver,
                   const std::string& how) const {
    const Norms published = *published_norms(plan);
    const State residual = solver.residual();
    const char* reason = "NPB's tolerance; digits of the published norms";
    for (int m = 0; m < components; ++m) {
      checks.relative(fmt::format("residual, {}{}", names[m], how), residual[m],
                      published.residual[m], 1e-8, reason);
      checks.relative(fmt::format("error, {}{}", names[m], how), solver.error()[m],
                      published.error[m], 1e-8, reason);
    }
  }

  void check_steady(base::Checks& checks, Solver& solver, const std::string& how) const {
    const State residual = solver.residual_of_exact();
    checks.at_most("residual of the exact solution" + how,
                   *std::max_element(residual.begin(), residual.end()), 1e-10,
                   "the forcing makes it zero; rounding of terms up to n^2 times values near 10");
  }

  // Other numbers of iterations have no published norms, but the scheme comes nearer to the steady
  // state that the forcing holds.
  void check_progress(harness::Run& run, base::Checks& checks) {
    const State error = solver_->error();
    const bool steady = static_cast<double>(plan_.iterations) * plan_.dt >= time_to_steady_state;
    Plan none = plan_;
    none.iterations = 0;
    Solver start(none, *world_, run.phases());
    start.run();
    for (int m = 0; m < components; ++m)
      checks.at_most(fmt::format("error, {}", names[m]), error[m],
                     steady ? 1e-12 : start.error()[m],
                     steady ? "the steady state is the exact solution; rounding (10^-14 is seen)"
                            : "the error of the initial state");
  }

  std::optional<parallel::Communicator> world_;
  Plan plan_{};
  std::unique_ptr<Solver> solver_;
};

}  // namespace
}  // namespace hakaru::apps::sp

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::sp::Sp>();
}
