// Himeno: Poisson's equation for pressure in general coordinates by damped Jacobi iteration, bound
// by memory bandwidth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "apps/himeno/decomposition.hpp"
#include "apps/himeno/phases.hpp"
#include "apps/himeno/problem.hpp"
#include "apps/himeno/schedule.hpp"
#include "apps/himeno/solver.hpp"
#include "apps/himeno/verification.hpp"
#include "native/base/clock.hpp"
#include "native/base/system.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::himeno {
namespace {

using base::Better;
using base::Layout;
using base::Parameters;
using base::PhaseKind;

// Everything that follows from parameters and layout.
struct Plan {
  Grid grid;
  Choice choice;
  Method method;
  std::int64_t iterations;
  double memory_bytes = 0.0;  // of all ranks
  std::int64_t largest_face = 0;

  Plan(const Parameters& parameters, const Layout& layout)
      : grid(grid_of(parameters)),
        choice(choose_ranks(grid, layout.ranks, wish_of(parameters))),
        iterations(parameters.integer("iterations")) {
    method.precision = parameters.text("precision") == "single" ? Precision::single_precision
                                                                : Precision::double_precision;
    method.exchange =
        parameters.text("exchange") == "packed" ? Exchange::packed : Exchange::datatypes;
    if (!choice.refusal.empty()) return;
    const Decomposition decomposition(grid, choice.ranks);
    for (int rank = 0; rank < layout.ranks; ++rank) {
      const Region region = decomposition.region(rank);
      const Shape shape(region.x.count, region.y.count, region.z.count,
                        word_bytes(method.precision));
      memory_bytes += static_cast<double>(shape.memory_bytes());
      for (int axis = 0; axis < 3; ++axis)
        largest_face = std::max(largest_face, shape.face(axis).words());
    }
    method.streaming = stores_stream(parameters.text("stores"), layout);
  }

 private:
  // Around the cache when the arrays of one host exceed half of its last-level cache, which they
  // share with everything else.
  bool stores_stream(const std::string& stores, const Layout& layout) const {
    if (stores != "auto") return stores == "streaming";
    const double cache_bytes = static_cast<double>(base::last_level_cache_bytes());
    const double host_bytes =
        memory_bytes * base::host_share(std::int64_t{layout.ranks} * layout.threads);
    return cache_bytes > 0.0 && host_bytes > 0.5 * cache_bytes;
  }
};

class Himeno final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d(
        "himeno", "Himeno benchmark: Poisson's equation for pressure by damped Jacobi iteration");
    d.choice("size", "S", {"XS", "S", "M", "L", "XL", "custom"},
             "grid: XS 64x32x32, S 128x64x64, M 256x128x128, L 512x256x256, XL 1024x512x512, "
             "custom nx x ny x nz")
        .integer("nx", 0, 0, 100'000, "1",
                 "points along the unit stride with the boundary, for size=custom")
        .integer("ny", 0, 0, 100'000, "1",
                 "points along the middle axis, for size=custom; 0: as nx")
        .integer("nz", 0, 0, 100'000, "1",
                 "points along the slowest axis, for size=custom; 0: as nx")
        .choice("precision", "single", {"single", "double"},
                "precision of the arrays; sums are always double")
        .integer("iterations", 100, 1, 1'000'000'000, "1", "iterations of a repetition")
        .choice("decomposition", "auto", {"auto", "1d", "2d", "3d"},
                "axes divided among ranks: 1d z, 2d z and y, 3d all; auto: fewest bytes")
        .integer("ranks_x", 0, 0, 1 << 24, "1", "ranks along x; 0: free")
        .integer("ranks_y", 0, 0, 1 << 24, "1", "ranks along y; 0: free")
        .integer("ranks_z", 0, 0, 1 << 24, "1", "ranks along z; 0: free")
        .choice(
            "exchange", "datatypes", {"datatypes", "packed"},
            "how faces that are not contiguous travel: copied through buffers, or by MPI datatypes")
        .choice("stores", "auto", {"auto", "ordinary", "streaming"},
                "how the new pressure is written; auto: around the cache when the arrays exceed "
                "half of it")
        .preset("small", {{"size", "XS"}, {"iterations", 100}},
                "fits into most caches; milliseconds")
        .preset("memory", {{"size", "M"}, {"iterations", 100}}, "exceeds most caches; seconds")
        .preset("long", {{"size", "S"}, {"iterations", 150'000}}, "ten minutes on one core", 2)
        .phase(phase::reset, PhaseKind::compute, "writes the initial pressure")
        .phase(phase::stencil, PhaseKind::compute, "the 19-point step over all arrays")
        .phase(phase::halo, PhaseKind::communicate,
               "exchange of one layer of ghost points with each neighbour")
        .phase(phase::reduction, PhaseKind::communicate, "sum of squared residuals over all ranks")
        .metric("rate", "flop/s", Better::higher,
                "34 operations per interior point and iteration over the time of the iterations")
        .verifies({"precision", "decomposition", "exchange", "stores"},
                  "small grids and the sizes XS and S, by all decompositions, exchanges and stores")
        .size_meaning("cube root of the number of interior points");
    return d;
  }

  std::string refuse(const Parameters& parameters, const Layout& layout) const override {
    const std::string no_grid = refuse_grid(parameters);
    if (!no_grid.empty()) return no_grid;
    const Plan plan(parameters, layout);
    if (!plan.choice.refusal.empty()) return plan.choice.refusal;
    if (plan.largest_face > std::numeric_limits<int>::max())
      return "a face of a rank's block has more than 2^31 points, the most that one message holds; "
             "use more ranks";
    return "";
  }

  base::Work work(const Parameters& parameters, const Layout& layout) const override {
    const Plan plan(parameters, layout);
    return {std::cbrt(plan.grid.interior_points()), plan.memory_bytes, {}};
  }

  harness::RankSchedule schedule(const Parameters& parameters,
                                 const Layout& layout) const override {
    const Plan plan(parameters, layout);
    return rank_schedule({plan.grid, plan.choice.ranks, plan.method, plan.iterations});
  }

  void prepare(harness::Run& run) override {
    const Plan plan(run.parameters(), run.layout());
    solver_ = make_solver({plan.grid, Kind::standard}, plan.choice.ranks, plan.method);
  }

  void repeat(harness::Run& run) override {
    const std::int64_t iterations = run.parameters().integer("iterations");
    {
      auto phase = run.phases().scope(phase::reset);
      solver_->reset();
    }
    const double start = base::now_s();
    for (std::int64_t i = 0; i < iterations; ++i) gosa_ = solver_->iterate(run.phases());
    const double elapsed_s = std::max(base::now_s() - start, 1e-12);
    run.metrics().add("rate", flops_per_point * grid_of(run.parameters()).interior_points() *
                                  static_cast<double>(iterations) / elapsed_s);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    const Plan plan(run.parameters(), run.layout());
    check_standard(*solver_, plan.grid, run.parameters().text("size"), plan.method.precision,
                   plan.iterations, gosa_, "", checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override { verify_everything(run, checks); }

 private:
  std::unique_ptr<Solver> solver_;
  double gosa_ = 0.0;
};

}  // namespace
}  // namespace hakaru::apps::himeno

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::himeno::Himeno>();
}
