#include "apps/median_filter/verification.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::median_filter {
namespace {

struct Case {
  Problem problem;
  Values values;
};

Beyond by(Edge edge) { return {edge, edge == Edge::constant ? 7.0 : 0.0}; }

constexpr std::array every_edge = {Edge::nearest, Edge::reflect, Edge::mirror, Edge::wrap,
                                   Edge::constant};
constexpr std::array every_type = {Values::integer, Values::real_single, Values::real_double};

// What is asked for, and windows beside it in which each way to sort and each edge has its turn.
std::vector<Case> cases(const Problem& wanted, int ranks) {
  std::vector<Case> all;
  for (const Values values : every_type)
    for (const Edge edge : every_edge) {
      Problem problem = wanted;
      problem.beyond.edge = edge;
      all.push_back({problem, values});
    }
  const std::int64_t planes = std::max(9, ranks);
  const std::vector<Window> windows = {{{3, 3, 3}}, {{5, 3, 4}}, {{1, 1, 1}}, {{2, 2, 2}},
                                       {{7, 1, 1}}, {{1, 1, 9}}, {{3, 5, 1}}, {{1, 4, 3}}};
  for (std::size_t i = 0; i < windows.size(); ++i)
    for (std::size_t j = 0; j < every_edge.size(); ++j) {
      const Extent image{i % 2 == 0 ? 37 : 18, 7, planes};
      all.push_back({{image, windows[i], by(every_edge[j]), 2}, every_type[(i + j) % 3]});
    }
  for (const Edge edge : every_edge)  // windows larger than the image
    all.push_back({{{4, 2, std::max(3, ranks)}, {{11, 5, 8}}, by(edge), 1}, Values::integer});
  return all;
}

}  // namespace

void check_comparison(const Comparison& comparison, const std::string& label,
                      base::Checks& checks) {
  const auto world = parallel::Communicator::world();
  const auto prints =
      parallel::exact_sums(world, std::array{comparison.found, comparison.expected});
  const std::int64_t compared = world.sum(comparison.compared),
                     different = world.sum(comparison.different);
  const std::string reason = "a median is one of the values, without any rounding";
  checks.equal(label + ": fingerprint", prints[0], prints[1], reason);
  checks.equal(
      fmt::format("{}: points of {} that differ from the sorted window's", label, compared),
      static_cast<double>(different), 0.0, reason);
}

void verify_everything(harness::Run& run, base::Checks& checks) {
  const Problem wanted = problem_of(run.parameters());
  const auto all = cases(wanted, run.layout().ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [problem, values] = all[i];
    run.progress(static_cast<double>(i) / static_cast<double>(all.size()), "verify");
    const auto solver = make_solver(problem, values, Pages::transparent);
    solver->filter(run.phases());
    if (run.damaged()) solver->damage();
    const std::string label =
        fmt::format("{}, {}", problem.name(), values_names[static_cast<std::size_t>(values)]);
    check_comparison(solver->compare_with_reference(), label, checks);
  }
}

}  // namespace hakaru::apps::median_filter
