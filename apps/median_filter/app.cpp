// The median filter of three-dimensional images: each point becomes the median of a window around
// it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "apps/median_filter/filter.hpp"
#include "apps/median_filter/halo.hpp"
#include "apps/median_filter/phases.hpp"
#include "apps/median_filter/problem.hpp"
#include "apps/median_filter/schedule.hpp"
#include "apps/median_filter/solver.hpp"
#include "apps/median_filter/verification.hpp"
#include "native/base/clock.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::median_filter {
namespace {

using base::Better;
using base::Layout;
using base::Parameters;
using base::PhaseKind;

// Values that a check after a run gathers and sorts: about a second.
constexpr double most_sorted_values = 4e7;

// How far apart the points lie that are checked after a run: all of them where that is quick.
std::int64_t stride_of_check(const Problem& problem) {
  const double all =
      static_cast<double>(problem.image.points()) * static_cast<double>(problem.window.points());
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(all / most_sorted_values)));
}

template <std::size_t count>
std::vector<std::string> words(const char* const (&names)[count]) {
  return {std::begin(names), std::end(names)};
}

class MedianFilter final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("median_filter",
                        "median filter of a three-dimensional image by shared sorting networks");
    constexpr std::int64_t most = 100'000, most_window = 4096;
    d.integer("nx", 128, 1, most, "1", "points along the unit stride")
        .integer("ny", 0, 0, most, "1", "points along the middle axis; 0: as nx")
        .integer("nz", 0, 0, most, "1", "points along the slowest axis; 0: as nx")
        .integer("window_x", 3, 1, most_window, "1", "points of the window along x")
        .integer("window_y", 0, 0, most_window, "1", "along y; 0: as window_x")
        .integer("window_z", 0, 0, most_window, "1", "along z; 0: as window_x")
        .choice("edge", "reflect", words(edge_names),
                "how the image goes on beyond its edges, by SciPy's names")
        .real("edge_value", 0.0, -1e9, 1e9, "1",
              "what lies beyond the edges with edge=constant; integers leave its fraction away")
        .choice("values", "integer", words(values_names),
                "integer of 32 bits, or floating point in single or double precision")
        .integer("passes", 1, 1, 1'000'000'000, "1",
                 "passes of a repetition, each over what the one before it gave")
        .choice("pages", "transparent", words(pages_names),
                "memory of the images: base pages, transparent large ones, or large ones from the "
                "kernel's pool")
        .preset("small", {{"nx", 22}, {"ny", 13}, {"nz", 12}, {"passes", 2}}, "milliseconds")
        .preset("medium", {{"nx", 256}, {"passes", 10}}, "a second")
        .preset("long", {{"nx", 128}, {"passes", 60'000}}, "ten minutes on one core", 2)
        .phase(phase::edges, PhaseKind::compute, "continues the image beyond its edges")
        .phase(phase::halo, PhaseKind::communicate, "planes that windows reach on other ranks")
        .phase(phase::filter, PhaseKind::compute, "the medians of all windows")
        .metric("rate", "1/s", Better::higher, "points filtered in a second of wall time")
        .table(
            "pages", {{"resident", "B"}, {"transparent", "B"}, {"large", "B"}},
            "memory of rank 0's images after the last repetition, as the kernel counts it: all of "
            "it, in transparent large pages, in large pages from its pool")
        .verifies({"nx", "ny", "nz", "window_x", "window_y", "window_z", "edge", "edge_value",
                   "values", "passes"},
                  "the image that is asked for in every type by every edge rule, and small images "
                  "with windows of many shapes")
        .size_meaning("cube root of the number of points");
    return d;
  }

  std::string refuse(const Parameters& parameters, const Layout& layout) const override {
    const std::string no_problem = refuse_problem(parameters);
    if (!no_problem.empty()) return no_problem;
    const Problem problem = problem_of(parameters);
    if (problem.image.z < layout.ranks)
      return fmt::format("each rank needs at least one of the {} planes: use fewer ranks",
                         problem.image.z);
    const Shape shape({problem.image.x, problem.image.y, 1}, problem.window,
                      value_bytes(values_named(parameters.text("values"))));
    if (layout.ranks > 1 && shape.plane * problem.window.z > std::numeric_limits<int>::max())
      return "the planes that a window reaches have more than 2^31 points, the most that one "
             "message holds; use a smaller image or window";
    return "";
  }

  base::Work work(const Parameters& parameters, const Layout& layout) const override {
    const Problem problem = problem_of(parameters);
    const Values values = values_named(parameters.text("values"));
    double bytes = 0.0;
    for (int rank = 0; rank < layout.ranks; ++rank)
      bytes += image_bytes(problem, values, rank, layout.ranks);
    return {std::cbrt(static_cast<double>(problem.image.points())), bytes, {}};
  }

  harness::RankSchedule schedule(const Parameters& parameters,
                                 const Layout& layout) const override {
    return rank_schedule(problem_of(parameters), values_named(parameters.text("values")),
                         layout.ranks);
  }

  void prepare(harness::Run& run) override {
    const Parameters& parameters = run.parameters();
    solver_ = make_solver(problem_of(parameters), values_named(parameters.text("values")),
                          pages_named(parameters.text("pages")));
  }

  void repeat(harness::Run& run) override {
    const Problem problem = problem_of(run.parameters());
    const double start = base::now_s();
    solver_->filter(run.phases());
    const double elapsed_s = std::max(base::now_s() - start, 1e-12);
    run.metrics().add("rate", static_cast<double>(problem.image.points()) *
                                  static_cast<double>(problem.passes) / elapsed_s);
  }

  void check(harness::Run& run, base::Checks& checks) override {
    const Problem problem = problem_of(run.parameters());
    check_comparison(solver_->compare_last_pass(stride_of_check(problem)), "last pass", checks);
    const Given given = solver_->pages_given();
    run.table("pages").row({given.resident, given.transparent, given.large});
  }

  void verify(harness::Run& run, base::Checks& checks) override { verify_everything(run, checks); }

 private:
  std::unique_ptr<Solver> solver_;
};

}  // namespace
}  // namespace hakaru::apps::median_filter

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<apps::median_filter::MedianFilter>();
}
