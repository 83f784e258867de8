// CG of the NAS parallel benchmarks: the smallest eigenvalue of a random sparse matrix.
#include <algorithm>
#include <optional>

#include "apps/cg/phases.hpp"
#include "apps/cg/problem.hpp"
#include "apps/cg/schedule.hpp"
#include "apps/cg/solver.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::cg {
namespace {

using base::Better;
using base::PhaseKind;

Communication communication_of(const base::Parameters& parameters) {
  return parameters.text("communication") == "paper" ? Communication::paper
                                                     : Communication::allgather;
}

Problem problem_of(const base::Parameters& parameters) {
  return problem_of_class(parameters.text("class"));
}

std::int64_t estimates_of(const base::Parameters& parameters) {
  const std::int64_t wanted = parameters.integer("iterations");
  return wanted > 0 ? wanted : problem_of(parameters).iterations;
}

class Cg final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d(
        "cg",
        "NAS benchmark CG: smallest eigenvalue of a random sparse matrix by inverse iteration");
    d.choice("class", "A", {"S", "W", "A", "B", "C", "D"},
             "order and iterations: S 1400 15, W 7000 15, A 14000 15, B 75000 75, C 150000 75, D "
             "1500000 100")
        .integer("iterations", 0, 0, 1'000'000, "1", "estimates of zeta; 0: the class's own")
        .choice("communication", "allgather", {"allgather", "paper"},
                "paper: sums of whole vectors, puts and barriers as the AP1000+ paper counts; "
                "allgather: rows in blocks, p gathered by all")
        .preset("small", {{"class", "S"}, {"communication", "paper"}}, "a fraction of a second")
        .preset("paper", {{"class", "S"}, {"communication", "paper"}},
                "the case of the AP1000+ paper")
        .preset("long", {{"class", "S"}, {"iterations", 100'000}}, "ten minutes on one core", 2)
        .phase(phase::product, PhaseKind::compute, "sparse matrix times vector")
        .by_index()
        .phase(phase::vectors, PhaseKind::compute, "loops over this rank's part of vectors")
        .phase(phase::vector_reduction, PhaseKind::communicate,
               "sum of whole vectors along a tree, and its broadcast")
        .phase(phase::move, PhaseKind::communicate, "a rank's part of the sum put where it belongs")
        .phase(phase::reduction, PhaseKind::communicate, "sums of scalars over all ranks")
        .phase(phase::barrier, PhaseKind::communicate, "barrier after each parallel loop")
        .phase(phase::gather, PhaseKind::communicate, "p from all ranks to all")
        .metric("rate", "flop/s", Better::higher,
                "operations as the benchmark counts them over the time: its Mop/s times 10^6")
        .verifies({"class", "communication"},
                  "the class that is asked for, by both ways to communicate")
        .size_meaning("order of the matrix");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    return size_of(repetition_of(parameters, layout));
  }

  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    return problem_of(parameters).n < layout.ranks ? "each rank needs at least one column" : "";
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    return rank_schedule(repetition_of(parameters, layout));
  }

  void prepare(harness::Run& run) override {
    solver_.emplace(problem_of(run.parameters()), communication_of(run.parameters()));
  }

  void repeat(harness::Run& run) override {
    const Problem problem = problem_of(run.parameters());
    const std::int64_t estimates = estimates_of(run.parameters());
    const double begin = base::now_s();
    iterate(run, estimates);
    run.metrics().add("rate", problem.operations(static_cast<double>(estimates)) /
                                  std::max(base::now_s() - begin, 1e-12));
  }

  void check(harness::Run& run, base::Checks& checks) override {
    check_result(problem_of(run.parameters()), estimates_of(run.parameters()), "", checks);
  }

  // Both ways to communicate at the class asked for.
  void verify(harness::Run& run, base::Checks& checks) override {
    const Problem problem = problem_of(run.parameters());
    for (const auto communication : {Communication::paper, Communication::allgather}) {
      solver_.emplace(problem, communication);
      solver_->sum_exactly();
      if (run.damaged()) solver_->damage();
      iterate(run, problem.iterations);
      check_result(problem, problem.iterations,
                   communication == Communication::paper ? ", paper" : ", allgather", checks);
    }
  }

 private:
  static Repetition repetition_of(const base::Parameters& parameters, const base::Layout& layout) {
    return {problem_of(parameters), communication_of(parameters), estimates_of(parameters),
            layout.ranks};
  }

  void iterate(harness::Run& run, std::int64_t estimates) {
    solver_->start(run.phases());
    for (std::int64_t i = 0; i < estimates; ++i) solver_->estimate(run.phases());
  }

  void check_result(const Problem& problem, std::int64_t estimates, const std::string& label,
                    base::Checks& checks) const {
    if (estimates == problem.iterations)
      checks.relative("zeta" + label, solver_->zeta(), problem.zeta, 1e-10,
                      "the benchmark's tolerance");
    if (problem.nonzeros > 0)
      checks.equal("elements of the matrix" + label, static_cast<double>(solver_->nonzeros()),
                   static_cast<double>(problem.nonzeros), "of the benchmark's generator");
    checks.at_most("residual of the last system" + label, solver_->residual(), 1e-8,
                   "25 steps reduce it from 1 to rounding at every class");
  }

  std::optional<Solver> solver_;
};

}  // namespace
}  // namespace hakaru::apps::cg

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::cg::Cg>();
}
