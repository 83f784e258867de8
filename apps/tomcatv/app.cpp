// TOMCATV: a mesh that follows curved edges, by elliptic equations and line relaxation.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "apps/tomcatv/halo.hpp"
#include "apps/tomcatv/reference.hpp"
#include "apps/tomcatv/schedule.hpp"
#include "apps/tomcatv/strip.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::tomcatv {
namespace {

using base::Better;
using base::Layout;
using base::Parameters;
using base::PhaseKind;

// Point updates that the independent serial code does in about a second.
constexpr double largest_reference = 2e7;

// The slowest mode of line relaxation shrinks by about 1 - pi^2 h^2 an iteration: to e^-40.
constexpr std::int64_t iterations_to_converge(std::int64_t n) { return 5 * (n - 1) * (n - 1); }

Plan plan_of(const Parameters& parameters, int ranks) {
  return {parameters.integer("n"), parameters.integer("iterations"),
          parameters.text("style") == "direct" ? Style::direct : Style::published, ranks,
          Map::sector};
}

// One mesh and its iteration. Does the steps of plan.hpp.
class Solver {
 public:
  Solver(const Plan& plan, const parallel::Communicator& world, base::Phases& phases)
      : plan_(plan),
        world_(world),
        phases_(phases),
        halo_(plan, world),
        strip_(plan, world.rank(), halo_.coordinate(0), halo_.coordinate(1)) {}

  void reset() {
    auto scope = phases_.scope(phase::reset);
    strip_.reset();
    if (damaged_ && world_.rank() == 0) *(halo_.coordinate(1) + 1 + plan_.n / 2) += 1e-3;
  }
  void residual() {
    loop(phase::residual, [&] { strip_.residual(); });
  }
  void solve() {
    loop(phase::solve, [&] { strip_.solve(); });
  }
  void maxima() {
    auto scope = phases_.scope(phase::maxima);
    maxima_ = strip_.maxima();
    if (plan_.style == Style::published)
      for (double& value : maxima_) value = world_.maximum(value);
    else
      HAKARU_MPI(
          MPI_Allreduce(MPI_IN_PLACE, maxima_.data(), 2, MPI_DOUBLE, MPI_MAX, world_.handle()));
  }
  void exchange(int count, int which) {
    auto scope = phases_.scope(phase::halo);
    halo_.exchange(count, which);
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    for (std::int64_t i = 0; i < times; ++i) body();
  }

  const Strip& strip() const { return strip_; }
  // Largest residuals over all ranks, of the mesh before the last correction.
  const std::array<double, 2>& largest() const { return maxima_; }
  // Spoils an edge of the runs that follow.
  void damage() { damaged_ = true; }

 private:
  // In the published style every parallel loop ends with a barrier.
  template <typename Body>
  void loop(const char* name, const Body& body) {
    {
      auto scope = phases_.scope(name);
      body();
    }
    if (plan_.style != Style::published) return;
    auto scope = phases_.scope(phase::barrier);
    world_.barrier();
  }

  Plan plan_;
  const parallel::Communicator& world_;
  base::Phases& phases_;
  Halo halo_;
  Strip strip_;
  std::array<double, 2> maxima_{};
  bool damaged_ = false;
};

class Tomcatv final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("tomcatv", "TOMCATV: elliptic mesh generation by line relaxation");
    d.integer("n", 257, 3, 100'000, "1", "mesh points in each direction, with the edges")
        .integer("iterations", 100, 1, 1'000'000'000, "1", "iterations of a repetition")
        .choice("style", "direct", {"direct", "published"},
                "direct: flags order the exchange, one reduction; published: exchanges, reductions "
                "and barriers as Table 5 of the AP1000+ paper counts them")
        .preset("small", {{"n", 65}, {"iterations", 50}}, "milliseconds")
        .preset("medium", {{"n", 513}, {"iterations", 100}}, "a second")
        .preset("ap1000plus", {{"n", 257}, {"iterations", 100}, {"style", "published"}},
                "the paper's, on 64 PEs")
        .preset("long", {{"n", 193}, {"iterations", 1'000'000}}, "ten minutes on one core", 2)
        .phase(phase::reset, PhaseKind::compute, "the initial mesh")
        .phase(phase::residual, PhaseKind::compute, "nine-point residuals and coefficients")
        .phase(phase::maxima, PhaseKind::communicate, "largest residuals over all ranks")
        .phase(phase::solve, PhaseKind::compute, "tridiagonal systems along columns, correction")
        .phase(phase::halo, PhaseKind::communicate, "outermost columns to both neighbours")
        .phase(phase::barrier, PhaseKind::communicate,
               "after each parallel loop, style=published only")
        .metric("rate", "flop/s", Better::higher,
                "65 operations per inner point and iteration over the time of a repetition")
        .verifies({"style"}, "meshes of 9 to 65 points, in both styles")
        .size_meaning("mesh points in each direction");
    return d;
  }

  std::string refuse(const Parameters& parameters, const Layout& layout) const override {
    return parameters.integer("n") < layout.ranks ? "each rank needs at least one column" : "";
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
    const double start = base::now_s();
    repetition(plan_, *solver_);
    const double inner = static_cast<double>((plan_.n - 2) * (plan_.n - 2));
    run.metrics().add("rate", (residual_flops + solve_flops) * inner *
                                  static_cast<double>(plan_.iterations) / (base::now_s() - start));
  }

  void check(harness::Run&, base::Checks& checks) override {
    if (static_cast<double>(plan_.n * plan_.n) * static_cast<double>(plan_.iterations) <=
        largest_reference)
      check_reference(checks, plan_, *solver_, "");
    else
      check_range(checks);
    if (plan_.iterations >= iterations_to_converge(plan_.n)) check_converged(checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    world_.emplace(parallel::Communicator::world());
    const int ranks = run.layout().ranks;
    const auto solved = [&](const Plan& plan) {
      auto solver = std::make_unique<Solver>(plan, *world_, run.phases());
      if (run.damaged()) solver->damage();
      repetition(plan, *solver);
      return solver;
    };
    for (const Style style : {Style::direct, Style::published}) {
      const std::string how = style == Style::direct ? ", direct" : ", published";
      for (const std::int64_t n : {65, 18}) {
        if (n < ranks) continue;
        const Plan plan{n, 40, style, ranks, Map::sector};
        check_reference(checks, plan, *solved(plan), fmt::format("{}, n = {}", how, n));
      }
      if (ranks > 33) continue;
      check_square(checks, *solved({33, 5, style, ranks, Map::square}), how);
    }
    if (ranks <= 9) check_order(checks, solved, ranks);
  }

 private:
  void check_reference(base::Checks& checks, const Plan& plan, Solver& solver,
                       const std::string& how) const {
    const Reference reference = reference_mesh(plan.map, plan.n, plan.iterations);
    const double distance = solver.strip().distance(
        [&](std::int64_t i, std::int64_t j) { return reference.mesh[i + plan.n * j]; });
    const char* reason = "coordinates near 1, corrections rounded in another order";
    checks.at_most("distance from the independent mesh" + how, world_->maximum(distance), 1e-12,
                   reason);
    checks.absolute("largest residual of x" + how, solver.largest()[0], reference.residual_x, 1e-14,
                    reason);
    checks.absolute("largest residual of y" + how, solver.largest()[1], reference.residual_y, 1e-14,
                    reason);
  }

  // What many iterations must keep. The map's fourth derivatives are below 12 where its edges are.
  void check_converged(base::Checks& checks) const {
    const double h = 1.0 / static_cast<double>(plan_.n - 1);
    const double distance = solver_->strip().distance([&](std::int64_t i, std::int64_t j) {
      return place(plan_.map, static_cast<double>(i) * h, static_cast<double>(j) * h);
    });
    checks.at_most("distance of the converged mesh from the map", world_->maximum(distance), h * h,
                   "central differences err by h^2/12 times fourth derivatives");
    checks.at_most("residual of the converged mesh",
                   std::max(solver_->largest()[0], solver_->largest()[1]), 1e-16,
                   "rounding of second differences of numbers near 1 times coefficients of h^2");
  }

  // Line relaxation with positive weights of neighbours keeps the mesh near the convex hull of its
  // edges; where the serial code would take too long, that much is known.
  void check_range(base::Checks& checks) const {
    const double farthest =
        solver_->strip().distance([](std::int64_t, std::int64_t) { return Point(0.0, 0.0); });
    checks.at_most("distance from the origin", world_->maximum(farthest), 1.01 * std::exp(0.7),
                   "the outermost corner, and what the cross derivatives may add");
  }

  void check_square(base::Checks& checks, const Solver& solver, const std::string& how) const {
    const double distance = solver.strip().distance([](std::int64_t i, std::int64_t j) {
      return place(Map::square, static_cast<double>(i) / 32.0, static_cast<double>(j) / 32.0);
    });
    checks.at_most("movement of a uniform mesh" + how, world_->maximum(distance), 1e-15,
                   "all differences are exact: multiples of 1/32");
    checks.at_most("residual of a uniform mesh" + how,
                   std::max(solver.largest()[0], solver.largest()[1]), 1e-17,
                   "all differences are exact: multiples of 1/32");
  }

  // The converged mesh against the map, on three meshes.
  template <typename Solved>
  void check_order(base::Checks& checks, const Solved& solved, int ranks) const {
    std::array<double, 3> error{};
    const std::array<std::int64_t, 3> cells = {8, 16, 24};
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::int64_t n = cells[k] + 1;
      const Plan plan{n, iterations_to_converge(n), Style::direct, ranks, Map::sector};
      const auto solver = solved(plan);
      error[k] = world_->maximum(solver->strip().distance([&](std::int64_t i, std::int64_t j) {
        return place(Map::sector, static_cast<double>(i) / static_cast<double>(cells[k]),
                     static_cast<double>(j) / static_cast<double>(cells[k]));
      }));
      checks.at_most(fmt::format("residual of the converged mesh, n = {}", n),
                     std::max(solver->largest()[0], solver->largest()[1]), 1e-16,
                     "rounding of second differences of numbers near 1 times coefficients of h^2");
    }
    for (std::size_t k = 1; k < cells.size(); ++k)
      checks.absolute(
          fmt::format("order of convergence from h = 1/{} to 1/{}", cells[k - 1], cells[k]),
          std::log(error[k - 1] / error[k]) /
              std::log(static_cast<double>(cells[k]) / static_cast<double>(cells[k - 1])),
          2.0, 0.1, "central differences; the next term is of fourth order");
  }

  std::optional<parallel::Communicator> world_;
  Plan plan_{};
  std::unique_ptr<Solver> solver_;
};

}  // namespace
}  // namespace hakaru::apps::tomcatv

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::tomcatv::Tomcatv>();
}
