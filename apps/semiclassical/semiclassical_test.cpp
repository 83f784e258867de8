#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "apps/semiclassical/correlation.hpp"
#include "apps/semiclassical/kernels.hpp"
#include "apps/semiclassical/verify.hpp"
#include "native/base/keyed_random.hpp"

namespace hakaru::apps::semiclassical {
namespace {

using Complex = std::complex<double>;

// By the definition, for matrices up to 4 x 4: expansion along the first row.
Complex by_minors(const std::vector<std::vector<Complex>>& a) {
  if (a.size() == 1) return a[0][0];
  Complex sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    std::vector<std::vector<Complex>> minor;
    for (std::size_t i = 1; i < a.size(); ++i) {
      minor.push_back(a[i]);
      minor.back().erase(minor.back().begin() + static_cast<std::ptrdiff_t>(j));
    }
    sum += (j % 2 == 0 ? 1.0 : -1.0) * a[0][j] * by_minors(minor);
  }
  return sum;
}

class Determinants : public testing::TestWithParam<int> {};

TEST_P(Determinants, AreThoseOfTheDefinitionInEveryLane) {
  const int n = GetParam();
  const double hbar_width = 0.7;
  const Settings s = system_of(Potential::henon_heiles, n, 0.1, 1);
  Block block(s, 1);
  block.reset(1);
  const Batch b = block.batch(0);
  const auto lanes = static_cast<std::size_t>(block.lanes());
  hakaru::base::KeyedRandom random{42};
  for (int i = 0; i < n; ++i)
    for (std::size_t j = 0; j < 2 * n * lanes; ++j) {
      b.mq[i * block.shape().pitch() * lanes + j] = random.normal();
      b.mp[i * block.shape().pitch() * lanes + j] = random.normal();
    }
  base::AlignedArray<double> scratch(determinant_size(block.shape()));
  Determinant found;
  determinant(block.shape(), b, hbar_width, scratch.data(), found);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::vector<Complex>> a(n, std::vector<Complex>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto at = [&](const double* m, int column) {
          return m[(i * block.shape().pitch() + column) * lanes + lane];
        };
        a[i][j] = 0.5 * Complex(at(b.mq, j) + at(b.mp, n + j),
                                at(b.mp, j) / hbar_width - hbar_width * at(b.mq, n + j));
      }
    const Complex expected = by_minors(a);
    const Complex value =
        std::exp(found.log_magnitude[lane]) * Complex(found.re[lane], found.im[lane]);
    EXPECT_LT(std::abs(value - expected), 1e-13 * (1.0 + std::abs(expected)));
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, Determinants, testing::Values(1, 2, 3, 4));

// Columns in shares of any size have the same bits: threads inside a trajectory change nothing.
TEST(Products, SharesOfColumnsHaveTheSameBits) {
  for (const int n : {1, 2, 3, 5, 8, 13, 67}) {
    const Settings s = system_of(Potential::morse, n, 0.1, 1);
    const std::vector<double> g = s.model.kinetic_matrix();
    const Stage stage{0.1, 0.2, -0.3};
    std::vector<double> kept;
    for (const int share : {1000, 1, 4, 7}) {
      Block block(s, 1);
      block.reset(1);
      const Batch b = block.batch(0);
      hakaru::base::KeyedRandom random{7};
      const std::size_t row = block.shape().pitch() * block.lanes();
      for (std::size_t i = 0; i < n * row; ++i)
        b.mq[i] = random.normal(), b.mp[i] = random.normal();
      for (std::size_t i = 0; i < n * block.shape().hessian_pitch() * block.lanes(); ++i)
        b.hessian[i] = random.normal();
      for (int begin = 0; begin < 2 * n; begin += share)
        advance_columns(block.shape(), b, g.data(), stage, begin, std::min(begin + share, 2 * n));
      std::vector<double> all(b.mq, b.mq + n * row);
      all.insert(all.end(), b.mp, b.mp + n * row);
      if (kept.empty()) kept = all;
      for (int i = 0; i < n; ++i)  // what is beside the columns is nobody's
        for (std::size_t j = 0; j < 2u * n * block.lanes(); ++j)
          ASSERT_EQ(all[i * row + j], kept[i * row + j]) << n << " " << share;
    }
  }
}

TEST(Samples, DependOnTheirNumberAlone) {
  const Settings s = system_of(Potential::henon_heiles, 2, 0.1, 1);
  std::vector<double> q(2), p(2), again_q(2), again_p(2);
  sample(s, 5, q.data(), p.data());
  sample(s, 6, again_q.data(), again_p.data());
  EXPECT_NE(q, again_q);
  sample(s, 5, again_q.data(), again_p.data());
  EXPECT_EQ(q, again_q);
  EXPECT_EQ(p, again_p);
}

TEST(Samples, HaveTheVariancesOfTheDensity) {
  Settings s = system_of(Potential::henon_heiles, 1, 0.1, 1);
  s.hbar = 0.5, s.width = 4.0;
  double square_q = 0.0, square_p = 0.0;
  constexpr int many = 20000;
  for (int i = 0; i < many; ++i) {
    double q = 0.0, p = 0.0;
    sample(s, i, &q, &p);
    square_q += (q - 1.0) * (q - 1.0) / many, square_p += p * p / many;
  }
  EXPECT_NEAR(square_q, 0.25, 0.25 * 5.0 * std::sqrt(2.0 / many));
  EXPECT_NEAR(square_p, 1.0, 5.0 * std::sqrt(2.0 / many));
}

TEST(Trajectories, GoBackByTheStagesInReverse) {
  Settings s = system_of(Potential::morse, 4, 0.1, 1);
  const std::vector<double> g = s.model.kinetic_matrix();
  Block block(s, 1);
  block.reset(1);
  const Batch b = block.batch(0);
  const std::size_t size = 4 * static_cast<std::size_t>(block.lanes());
  hakaru::base::KeyedRandom random{3};
  for (std::size_t i = 0; i < size; ++i) b.q[i] = random.normal(), b.p[i] = random.normal();
  const std::vector<double> start(b.q, b.q + size);
  for (int i = 0; i < 20; ++i) block.step({}, {});
  EXPECT_GT(std::abs(b.q[0] - start[0]), 0.01);
  const auto stages = stages_of(s.dt);
  for (int i = 0; i < 20; ++i)
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      drift(block.shape(), b, g.data(), -stage->drift);
      evaluate(s.model, block.shape(), b);
      kick(block.shape(), b, -stage->kick);
      if (stage->before != 0.0) drift(block.shape(), b, g.data(), -stage->before);
    }
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(b.q[i], start[i], 1e-12);
}

}  // namespace
}  // namespace hakaru::apps::semiclassical
