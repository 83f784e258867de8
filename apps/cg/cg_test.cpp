#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/cg/generator.hpp"
#include "apps/cg/matrix.hpp"
#include "apps/cg/problem.hpp"

namespace hakaru::apps::cg {
namespace {

std::vector<double> ramp(std::int64_t n) {
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = std::sin(0.1 * static_cast<double>(i));
  return x;
}

TEST(Matrix, HasThePublishedNumberOfElements) {
  for (const char* name : {"S", "W", "A"}) {
    const Problem problem = problem_of_class(name);
    const Block all{0, problem.n};
    EXPECT_EQ(Matrix(problem, {all, all}).nonzeros(), problem.nonzeros) << name;
  }
}

TEST(Matrix, IsTheSumOfOuterProducts) {
  const Problem problem{40, 3, 1, 10.0, 0.0, 0};
  const SparseVectors vectors = generating_vectors(problem);
  const Block all{0, problem.n};
  const std::vector<double> x = ramp(problem.n);
  std::vector<double> expected(problem.n, 0.0), y(problem.n);
  for (std::int64_t i = 0; i < problem.n; ++i) {
    double product = 0.0;
    for (std::int64_t k = vectors.starts[i]; k < vectors.starts[i + 1]; ++k)
      product += vectors.values[k] * x[vectors.places[k]];
    const double weight = std::pow(condition, static_cast<double>(i) / 40.0);
    for (std::int64_t k = vectors.starts[i]; k < vectors.starts[i + 1]; ++k)
      expected[vectors.places[k]] += weight * product * vectors.values[k];
    expected[i] += (condition - problem.shift) * x[i];
  }
  Matrix(problem, {all, all}).multiply(x.data(), y.data());
  for (std::int64_t i = 0; i < problem.n; ++i) EXPECT_NEAR(y[i], expected[i], 1e-13);
}

TEST(Matrix, PartsByColumnsAndByRowsAddUpToTheWhole) {
  const Problem problem{101, 5, 1, 10.0, 0.0, 0};
  const Block all{0, problem.n};
  const std::vector<double> x = ramp(problem.n);
  std::vector<double> whole(problem.n);
  Matrix(problem, {all, all}).multiply(x.data(), whole.data());
  for (const int ranks : {2, 3, 7}) {
    const std::int64_t widest = widest_block(problem.n, ranks);
    std::vector<double> by_columns(problem.n, 0.0), gathered(widest * ranks, 0.0);
    for (int rank = 0; rank < ranks; ++rank) {
      const Block block = block_of(problem.n, rank, ranks);
      Matrix(problem, {all, block}).add_product(x.data() + block.first, by_columns.data());
      for (std::int64_t i = 0; i < block.count; ++i)
        gathered[rank * widest + i] = x[block.first + i];
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const Block block = block_of(problem.n, rank, ranks);
      std::vector<double> rows(block.count);
      Matrix(problem, {block, all, ranks}).multiply(gathered.data(), rows.data());
      for (std::int64_t i = 0; i < block.count; ++i) {
        EXPECT_NEAR(rows[i], whole[block.first + i], 1e-13);
        EXPECT_NEAR(by_columns[block.first + i], whole[block.first + i], 1e-13);
      }
    }
  }
}

TEST(Problem, OperationsAreTheBenchmarks) {
  // 66.6 million for class S: 2 * 15 * 1400 * (3 + 56 + 25 * 61 + 3).
  EXPECT_DOUBLE_EQ(problem_of_class("S").operations(15), 66654000.0);
}

}  // namespace
}  // namespace hakaru::apps::cg
