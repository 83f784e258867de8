// FT of the NAS Parallel Benchmarks: a diffusion equation by 3-D Fourier transforms, bound by
// transpositions between all ranks.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "apps/ft/reference.hpp"
#include "apps/ft/schedule.hpp"
#include "apps/ft/solver.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::ft {
namespace {

using base::Better;
using base::Layout;
using base::Parameters;
using base::PhaseKind;

constexpr const char* tolerance_reason =
    "NPB's tolerance; the published sums have 13 digits, transforms lose one of sixteen";

PhaseIndices indices_of(const base::Phases& phases) {
  return {phases.index(phase::set_up),   phases.index(phase::transform),
          phases.index(phase::evolve),   phases.index(phase::transposition),
          phases.index(phase::checksum), phases.index(phase::barrier)};
}

class Ft final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("ft", "NAS FT: diffusion by three-dimensional Fourier transforms");
    d.choice("class", "S", {"S", "W", "A", "B", "custom"},
             "grid and iterations: S 64x64x64 x 6, W 128x128x32 x 6, A 256x256x128 x 6, B "
             "512x256x256 x 20, custom nx x ny x nz")
        .integer("nx", 16, 1, 1 << 20, "1", "points along x, for class=custom")
        .integer("ny", 16, 1, 1 << 20, "1", "points along y, for class=custom")
        .integer("nz", 16, 1, 1 << 20, "1", "points along z, for class=custom")
        .integer("iterations", 0, 0, 1'000'000, "1", "time steps; 0: the class's, or 6")
        .choice("method", "put", {"put", "alltoall"},
                "transpositions by strided PUT with flags, or by MPI_Alltoall of packed blocks")
        .choice("style", "direct", {"direct", "published"},
                "direct: one transposition a transform; published: messages, reductions and "
                "barriers as Table 5 of the AP1000+ paper counts them")
        .preset("small", {{"class", "S"}}, "a tenth of a second")
        .preset("medium", {{"class", "A"}}, "seconds")
        .preset("ap1000plus", {{"class", "A"}, {"style", "published"}}, "the paper's, on 128 PEs")
        .preset(
            "long",
            {{"class", "custom"}, {"nx", 24}, {"ny", 12}, {"nz", 24}, {"iterations", 1'000'000}},
            "ten minutes on one core", 6)
        .phase(phase::set_up, PhaseKind::compute, "random initial values, exponents")
        .phase(phase::transform, PhaseKind::compute, "one-dimensional transforms")
        .phase(phase::evolve, PhaseKind::compute, "the spectrum at the next time")
        .phase(phase::transposition, PhaseKind::communicate, "exchange between all ranks")
        .phase(phase::checksum, PhaseKind::communicate, "1024 values and their sum over ranks")
        .phase(phase::barrier, PhaseKind::communicate,
               "after each parallel loop, style=published only")
        .metric("rate", "flop/s", Better::higher,
                "NPB's count of operations over the time of a repetition (Mop/s x 10^6)")
        .verifies(
            {"method", "style"},
            "grids of 64 x 64 x 64, 24 x 12 x 24 and 10 x 9 x 7 points, by all methods and styles")
        .size_meaning("cube root of the number of grid points");
    return d;
  }

  std::string refuse(const Parameters& parameters, const Layout& layout) const override {
    return ft::refuse(plan_of(parameters, layout.ranks));
  }
  base::Work work(const Parameters& parameters, const Layout& layout) const override {
    return size_of(plan_of(parameters, layout.ranks));
  }
  harness::RankSchedule schedule(const Parameters& parameters,
                                 const Layout& layout) const override {
    return rank_schedule(plan_of(parameters, layout.ranks));
  }

  void prepare(harness::Run& run) override {
    plan_ = plan_of(run.parameters(), run.layout().ranks);
    world_.emplace(parallel::Communicator::world());
    solver_ = std::make_unique<Solver>(plan_, *world_);
  }

  void repeat(harness::Run& run) override {
    const double start = base::now_s();
    solver_->run(run.phases(), indices_of(run.phases()));
    run.metrics().add("rate", nominal_operations(plan_) / (base::now_s() - start));
  }

  void check(harness::Run&, base::Checks& checks) override {
    check_checksums(checks, plan_, *solver_, "");
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    world_.emplace(parallel::Communicator::world());
    for (const Method method : {Method::put, Method::alltoall})
      for (const Style style : {Style::direct, Style::published})
        for (const Grid& grid : {Grid{{64, 64, 64}}, Grid{{24, 12, 24}}, Grid{{10, 9, 7}}})
          verify_plan(run, checks, {grid, 6, style, method, run.layout().ranks});
  }

 private:
  void verify_plan(harness::Run& run, base::Checks& checks, const Plan& plan) {
    if (!ft::refuse(plan).empty()) return;
    Solver solver(plan, *world_, Planning::equal);
    if (run.damaged()) solver.damage();
    solver.run(run.phases(), indices_of(run.phases()));
    const std::string how =
        fmt::format(", {} {}, {}x{}x{}", plan.style == Style::direct ? "direct" : "published",
                    plan.method == Method::put ? "put" : "alltoall", plan.grid.n[0], plan.grid.n[1],
                    plan.grid.n[2]);
    check_checksums(checks, plan, solver, how);
  }

  // Against the published sums where there are any; small grids point by point against the sums.
  void check_checksums(base::Checks& checks, const Plan& plan, Solver& solver,
                       const std::string& how) const {
    const auto published = published_checksums(plan.grid, plan.iterations);
    for (std::size_t t = 0; t < published.size(); ++t) {
      const Complex ours = solver.checksums()[t];
      const std::string name = fmt::format("checksum of iteration {}", t + 1);
      checks.relative(name + ", real part" + how, ours.real(), published[t].real(), 1e-12,
                      tolerance_reason);
      checks.relative(name + ", imaginary part" + how, ours.imag(), published[t].imag(), 1e-12,
                      tolerance_reason);
    }
    if (plan.grid.points() > 10'000) {
      if (published.empty())
        checks.at_most("magnitude of the checksum" + how, std::abs(solver.checksums().back()),
                       checksum_terms * std::sqrt(2.0),
                       "a weighted mean of numbers between 0 and 1 for each of 1024 terms");
      return;
    }
    const auto field = reference_field(plan.grid, plan.iterations);
    const auto& n = plan.grid.n;
    const double distance = solver.distance([&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return field[x + n[0] * (y + n[1] * z)];
    });
    checks.at_most("distance from direct sums" + how, world_->maximum(distance), 1e-13,
                   "values near 1, rounding of some hundred terms");
    const Complex difference = solver.checksums().back() - checksum_of(plan.grid, field);
    checks.at_most("checksum from direct sums" + how, std::abs(difference), 1e-10,
                   "1024 terms near 1");
  }

  std::optional<parallel::Communicator> world_;
  Plan plan_{};
  std::unique_ptr<Solver> solver_;
};

}  // namespace
}  // namespace hakaru::apps::ft

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::ft::Ft>();
}
