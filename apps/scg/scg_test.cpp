#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/scg/exact.hpp"
#include "apps/scg/strip.hpp"

namespace hakaru::apps::scg {
namespace {

TEST(Strip, StripsTileThePlate) {
  for (const int ranks : {1, 2, 3, 7, 17}) {
    std::int64_t rows = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Strip strip(17, rank, ranks);
      EXPECT_EQ(strip.first, rows);
      rows += strip.rows;
      EXPECT_EQ(strip.above, rank - 1);
      EXPECT_EQ(strip.below, rank + 1 < ranks ? rank + 1 : -1);
      EXPECT_GE(strip.inner_rows(), 0);
      EXPECT_LE(strip.inner_rows(), strip.rows);
    }
    EXPECT_EQ(rows, 17);
  }
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

// Serial conjugate gradients on one strip.
double solve(StripVectors& vectors, int iterations) {
  double rho = vectors.reset();
  for (int i = 0; i < iterations; ++i) {
    const double product =
        vectors.multiply(vectors.strip().inner_begin(), vectors.strip().inner_end()) +
        vectors.multiply_frame();
    const double next = vectors.advance(rho / product);
    vectors.turn(next / rho);
    rho = next;
  }
  return rho;
}

double distance(const StripVectors& vectors) {
  const ExactSolution exact(vectors.strip().n);
  double worst = 0.0;
  for (std::int64_t y = 0; y < vectors.strip().rows; ++y) {
    const auto row = exact.row(y);
    for (std::int64_t x = 0; x < vectors.strip().n; ++x)
      worst = std::max(worst, std::abs(vectors.solution(x, y) - row[x]));
  }
  return worst;
}

TEST(StripVectors, ConvergesToTheExactSolution) {
  const Strip strip(21, 0, 1);
  std::vector<double> direction(DirectionLayout(strip).words(), 0.0);
  StripVectors vectors(strip, direction.data());
  solve(vectors, 5);
  EXPECT_GT(distance(vectors), 1e-4);  // not yet
  solve(vectors, 60);
  EXPECT_LT(distance(vectors), 1e-14);
  vectors.damage();
  EXPECT_GT(distance(vectors), 1e-7);
}

TEST(StripVectors, HaloRowsCountAsNeighbours) {
  const Strip whole(6, 0, 1), lower(6, 1, 2);
  std::vector<double> all(DirectionLayout(whole).words(), 0.0),
      half(DirectionLayout(lower).words(), 0.0);
  StripVectors one(whole, all.data()), two(lower, half.data());
  one.reset();
  two.reset();
  for (std::int64_t y = 0; y < 6; ++y)
    for (std::int64_t x = 0; x < 6; ++x) {
      const double value = static_cast<double>((7 * x + 5 * y) % 11);
      one.direction_row(y)[x] = value;
      if (y >= 2) two.direction_row(y - 3)[x] = value;
    }
  const double expected = one.multiply(3, 6);
  EXPECT_DOUBLE_EQ(
      two.multiply(two.strip().inner_begin(), two.strip().inner_end()) + two.multiply_frame(),
      expected);
}

}  // namespace
}  // namespace hakaru::apps::scg
