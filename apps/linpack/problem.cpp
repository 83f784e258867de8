#include "apps/linpack/problem.hpp"

namespace hakaru::apps::linpack {
namespace {

double count_of(double n) { return 2.0 / 3.0 * n * n * n + 1.5 * n * n; }

}  // namespace

double Problem::operations() const {
  return count_of(static_cast<double>(n)) - count_of(static_cast<double>(n - begin(steps())));
}

Grid squarest(int ranks) {
  int rows = 1;
  for (int p = 1; p * p <= ranks; ++p)
    if (ranks % p == 0) rows = p;
  return {rows, ranks / rows};
}

Grid grid_of(std::int64_t p, std::int64_t q, int ranks) {
  if (p == 0 && q == 0) return squarest(ranks);
  const std::int64_t given = p == 0 ? q : p;
  if (given > ranks || ranks % given != 0) return {0, 0};
  const auto other = static_cast<int>(ranks / given);
  if (p == 0) return {other, static_cast<int>(q)};
  if (q != 0 && q != other) return {0, 0};
  return {static_cast<int>(p), other};
}

Problem problem_of(const base::Parameters& parameters, int ranks) {
  Problem problem;
  problem.n = parameters.integer("n");
  problem.nb = parameters.integer("nb");
  problem.grid = grid_of(parameters.integer("p"), parameters.integer("q"), ranks);
  problem.look_ahead = static_cast<int>(parameters.integer("look_ahead"));
  for (const Named& one : routes)
    if (parameters.text("broadcast") == one.name) problem.route = one.route;
  problem.swap =
      parameters.text("swap") == "spread-roll" ? Swap::spread_roll : Swap::binary_exchange;
  problem.panels = parameters.integer("panels");
  problem.seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  return problem;
}

Columns right_of(const Problem& problem, std::int64_t j, int column) {
  return {problem.columns_below(problem.begin(j + 1), column),
          problem.columns_below(problem.n + 1, column)};
}

Columns block_after(const Problem& problem, std::int64_t j, int column) {
  return {problem.columns_below(problem.begin(j + 1), column),
          problem.columns_below(problem.begin(j + 2), column)};
}

Columns rest_after(const Problem& problem, std::int64_t j, int column) {
  return {problem.columns_below(problem.begin(j + 2), column),
          problem.columns_below(problem.n + 1, column)};
}

}  // namespace hakaru::apps::linpack
