#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/scg/block.hpp"
#include "apps/scg/exact.hpp"

namespace hakaru::apps::scg {
namespace {

TEST(Block, BlocksTileThePlate) {
  for (const Decomposition decomposition : {Decomposition::rows, Decomposition::blocks})
    for (const int ranks : {1, 2, 3, 4, 7, 12, 16}) {
      const Grid grid = grid_of(ranks, decomposition);
      EXPECT_EQ(grid.rows * grid.columns, ranks);
      EXPECT_GE(grid.rows, grid.columns);
      std::vector<int> owners(17 * 17, 0);
      for (int rank = 0; rank < ranks; ++rank) {
        const Block block(17, rank, grid);
        for (std::int64_t y = 0; y < block.rows; ++y)
          for (std::int64_t x = 0; x < block.columns; ++x)
            ++owners[(block.first_row + y) * 17 + block.first_column + x];
        EXPECT_LE(block.inner_points(), block.rows * block.columns);
        if (block.right >= 0) {
          EXPECT_EQ(Block(17, block.right, grid).left, rank);
        }
        if (block.below >= 0) {
          EXPECT_EQ(Block(17, block.below, grid).above, rank);
        }
      }
      for (const int count : owners) EXPECT_EQ(count, 1) << ranks;
    }
  EXPECT_EQ(grid_of(64, Decomposition::blocks).columns, 8);
  EXPECT_EQ(grid_of(64, Decomposition::rows).columns, 1);
}

TEST(ExactSolution, SolvesTheDifferenceEquations) {
  for (const std::int64_t n : {1, 2, 5, 24}) {
    const ExactSolution exact(n);
    std::vector<std::vector<double>> u(n + 2, std::vector<double>(n + 2, 0.0));
    for (std::int64_t y = 0; y < n; ++y) {
      const auto row = exact.row(y);
      std::copy(row.begin(), row.end(), u[y + 1].begin() + 1);
    }
    const double right = 1.0 / static_cast<double>((n + 1) * (n + 1));
    for (std::int64_t y = 1; y <= n; ++y)
      for (std::int64_t x = 1; x <= n; ++x)
        EXPECT_NEAR(4.0 * u[y][x] - u[y - 1][x] - u[y + 1][x] - u[y][x - 1] - u[y][x + 1], right,
                    1e-15);
  }
}

// Serial conjugate gradients on one block.
double solve(BlockVectors& vectors, int iterations) {
  double rho = vectors.reset();
  for (int i = 0; i < iterations; ++i) {
    vectors.multiply_inner();
    vectors.multiply_frame();
    const double next = vectors.advance(rho / vectors.product());
    vectors.turn(next / rho);
    rho = next;
  }
  return rho;
}

double distance(const BlockVectors& vectors) {
  const ExactSolution exact(vectors.block().n);
  double worst = 0.0;
  for (std::int64_t y = 0; y < vectors.block().rows; ++y) {
    const auto row = exact.row(y);
    for (std::int64_t x = 0; x < vectors.block().n; ++x)
      worst = std::max(worst, std::abs(vectors.solution(x, y) - row[x]));
  }
  return worst;
}

TEST(BlockVectors, ConvergesToTheExactSolution) {
  const Block block(21, 0, Grid{});
  std::vector<double> direction(DirectionLayout(block).words(), 0.0);
  BlockVectors vectors(block, direction.data());
  solve(vectors, 5);
  EXPECT_GT(distance(vectors), 1e-4);  // not yet
  solve(vectors, 60);
  EXPECT_LT(distance(vectors), 1e-14);
  vectors.damage();
  EXPECT_GT(distance(vectors), 1e-7);
}

TEST(BlockVectors, HalosCountAsNeighbours) {
  const Grid four{2, 2};
  const Block quarter(7, 3, four);
  std::vector<double> part(DirectionLayout(quarter).words(), 0.0);
  BlockVectors two(quarter, part.data());
  const auto p = [](std::int64_t x, std::int64_t y) {
    return static_cast<double>((7 * x + 5 * y) % 11);
  };
  const std::int64_t x0 = quarter.first_column, y0 = quarter.first_row;
  for (std::int64_t y = 0; y < 7; ++y)
    for (std::int64_t x = 0; x < 7; ++x) {
      if (x >= x0 && y >= y0 - 1) two.direction_row(y - y0)[x - x0] = p(x, y);
      if (x == x0 - 1 && y >= y0) two.direction_row(y - y0)[-1] = p(x, y);
    }
  two.multiply_inner();
  two.multiply_frame();
  // p.q over the quarter, by hand from the whole plate's p.
  double expected = 0.0;
  for (std::int64_t y = y0; y < 7; ++y)
    for (std::int64_t x = x0; x < 7; ++x) {
      const double right = x + 1 < 7 ? p(x + 1, y) : 0.0, below = y + 1 < 7 ? p(x, y + 1) : 0.0;
      expected += p(x, y) * (p(x, y) - 0.25 * (p(x - 1, y) + right + p(x, y - 1) + below));
    }
  EXPECT_DOUBLE_EQ(two.product(), expected);
}

}  // namespace
}  // namespace hakaru::apps::scg
