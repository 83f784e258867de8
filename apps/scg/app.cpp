// Diagonally scaled conjugate gradients for the 2-D Poisson equation, halo rows by PUT.
#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/scg/exact.hpp"
#include "apps/scg/phases.hpp"
#include "apps/scg/schedule.hpp"
#include "apps/scg/solver.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::scg {
namespace {

using base::Better;
using base::PhaseKind;

constexpr double flops_per_point =
    BlockVectors::multiply_flops + BlockVectors::advance_flops + BlockVectors::turn_flops;

Repetition repetition_of(const base::Parameters& parameters, const base::Layout& layout) {
  const std::string by = parameters.text("acknowledgement");
  return {
      parameters.integer("n"), parameters.integer("iterations"),
      parameters.text("decomposition") == "blocks" ? Decomposition::blocks : Decomposition::rows,
      by == "messages"   ? Acknowledgement::messages
      : by == "barriers" ? Acknowledgement::barriers
                         : Acknowledgement::none,
      layout.ranks};
}

class Scg final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("scg",
                        "Poisson's equation by diagonally scaled conjugate gradients, halo by PUT");
    d.integer("n", 200, 1, 1'000'000, "1", "points in each direction; the matrix has order n^2")
        .integer("iterations", 446, 1, 1'000'000'000, "1", "iterations of a repetition")
        .choice("decomposition", "rows", {"rows", "blocks"},
                "each rank holds whole rows, or a block of a grid of ranks; then halo columns are "
                "put with strides")
        .choice("acknowledgement", "messages", {"messages", "barriers", "none"},
                "answer to every put by an empty message when its data have been used; barriers "
                "of each row and each column of ranks; none: the reductions keep the order")
        .preset("small", {{"n", 64}, {"iterations", 150}}, "milliseconds")
        .preset("paper", {{"n", 200}, {"iterations", 446}, {"acknowledgement", "messages"}},
                "the case of the AP1000+ paper")
        .preset("memory", {{"n", 2000}, {"iterations", 50}, {"acknowledgement", "none"}},
                "exceeds most caches; seconds")
        .preset("long", {{"n", 500}, {"iterations", 500'000}}, "ten minutes on one core", 2)
        .phase(phase::reset, PhaseKind::compute, "writes the initial vectors")
        .phase(phase::halo, PhaseKind::communicate,
               "the edge of p put to each neighbour; waits for theirs")
        .phase(phase::stencil, PhaseKind::compute, "q = A p and p.q, inner points first")
        .phase(phase::acknowledgement, PhaseKind::communicate,
               "empty messages or barriers that answer puts")
        .phase(phase::reduction, PhaseKind::communicate, "sums over all ranks")
        .phase(phase::update, PhaseKind::compute, "x, r, p and r.r")
        .metric("rate", "flop/s", Better::higher,
                "15 operations per point and iteration over the time of the iterations")
        .verifies({},
                  "17 points by three ways to divide and to acknowledge, and the 200 points of the "
                  "AP1000+ paper")
        .size_meaning("points in each direction");
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const double n = static_cast<double>(parameters.integer("n"));
    return {n, 4.0 * 8.0 * n * n, {}};
  }

  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    const Repetition r = repetition_of(parameters, layout);
    return r.n < grid_of(r.ranks, r.decomposition).rows
               ? "each rank needs at least one row of points"
               : "";
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    return rank_schedule(repetition_of(parameters, layout));
  }

  void prepare(harness::Run& run) override {
    const Repetition r = repetition_of(run.parameters(), run.layout());
    solver_.emplace(r.n, r.decomposition, r.acknowledgement);
  }

  void repeat(harness::Run& run) override {
    const std::int64_t iterations = run.parameters().integer("iterations");
    const double begin = base::now_s();
    solve(run, iterations);
    const double elapsed_s = std::max(base::now_s() - begin, 1e-12);
    const double n = static_cast<double>(run.parameters().integer("n"));
    run.metrics().add("rate",
                      flops_per_point * n * n * static_cast<double>(iterations) / elapsed_s);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    check_solution(run.parameters().integer("n"), "", checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    const std::int64_t odd = std::max<std::int64_t>(17, run.layout().ranks);
    verify_small(run, odd, Decomposition::rows, Acknowledgement::messages, "", checks);
    verify_small(run, odd, Decomposition::rows, Acknowledgement::none, ", not acknowledged",
                 checks);
    verify_small(run, odd, Decomposition::blocks, Acknowledgement::barriers, ", blocks", checks);
    verify_published(run, checks);
  }

 private:
  void solve(harness::Run& run, std::int64_t iterations) {
    solver_->start(run.phases());
    for (std::int64_t i = 0; i < iterations; ++i) solver_->iterate(run.phases());
  }

  void verify_small(harness::Run& run, std::int64_t n, Decomposition decomposition,
                    Acknowledgement acknowledgement, const std::string& how, base::Checks& checks) {
    solver_.emplace(n, decomposition, acknowledgement);
    solver_->sum_exactly();
    solve(run, 3 * n);
    if (run.damaged()) solver_->vectors().damage();
    check_solution(n, ", " + std::to_string(n) + " points" + how, checks);
  }

  // 893 global operations of the paper's Table 5 are 2 x 446 + 1. A tolerance of 1.8e-12 needs just
  // these 446 iterations.
  void verify_published(harness::Run& run, base::Checks& checks) {
    const std::int64_t n = std::max<std::int64_t>(200, run.layout().ranks);
    solver_.emplace(n, Decomposition::rows, Acknowledgement::none);
    solver_->sum_exactly();
    solve(run, 445);
    const double before = solver_->relative_residual();
    solver_->iterate(run.phases());
    if (run.damaged()) solver_->vectors().damage();
    check_solution(n, ", the paper's case", checks);
    if (n != 200) return;
    checks.at_least("relative residual after 445 iterations", before, 1.8e-12,
                    "446 iterations are published (Table 5 of the AP1000+ paper)");
    checks.at_most("relative residual after 446 iterations", solver_->relative_residual(), 1.8e-12,
                   "446 iterations are published (Table 5 of the AP1000+ paper)");
  }

  // |u - exact| <= |A^-1| |r|. What rounding adds is in proportion to the largest u and to the
  // condition of A; the factors are ten times what is seen for n = 10 ... 2000.
  void check_solution(std::int64_t n, const std::string& label, base::Checks& checks) {
    const double epsilon = 2.2e-16, eigenvalue = smallest_eigenvalue(n);
    const double norm = solver_->right_side_norm() * solver_->relative_residual();
    const double largest = solver_->largest();
    const std::int64_t rows = std::max<std::int64_t>(1, 200'000'000 / (n * n));
    checks.at_most("distance from the exact solution of the difference equations" + label,
                   solver_->distance_from_exact(rows),
                   norm / eigenvalue + 100.0 * epsilon * largest * std::sqrt(8.0 / eigenvalue),
                   "the residual over the smallest eigenvalue, and rounding");
    checks.at_most("drift of the residual" + label, solver_->residual_drift(),
                   100.0 * epsilon * largest * static_cast<double>(n),
                   "rounding of u, of order one, in each of n^2 equations");
  }

  std::optional<Solver> solver_;
};

}  // namespace
}  // namespace hakaru::apps::scg

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::scg::Scg>();
}
