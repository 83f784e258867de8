#include "apps/electrons/stencil/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

using Orbital = std::vector<Complex>;

Grid grid_of(std::size_t x, std::size_t y, std::size_t z) {
  return {{x, y, z}, {0.64, 0.52, 0.47}};
}

Orbital random_orbital(const Grid& grid) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Orbital u(grid.count());
  for (Complex& value : u) value = {uniform(random), uniform(random)};
  return u;
}

// The definition with both neighbours and an index for each.
GradientSums reference(const Grid& grid, const Orbital& u) {
  const double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  const auto& n = grid.points;
  auto at = [&](std::array<std::size_t, 3> r) { return u[(r[0] * n[1] + r[1]) * n[2] + r[2]]; };
  GradientSums sums;
  for (std::size_t x = 0; x < n[0]; ++x)
    for (std::size_t y = 0; y < n[1]; ++y)
      for (std::size_t z = 0; z < n[2]; ++z) {
        const Complex here = at({x, y, z});
        sums.norm += std::norm(here);
        for (int axis = 0; axis < 3; ++axis)
          for (std::size_t m = 1; m <= 4; ++m) {
            std::array<std::size_t, 3> up = {x, y, z}, down = up;
            up[axis] = (up[axis] + m) % n[axis];
            down[axis] = (down[axis] + 4 * n[axis] - m) % n[axis];
            const Complex difference = weights[m - 1] * (at(up) - at(down));
            sums.gradient[axis] += (std::conj(here) * difference).imag() / grid.spacing_bohr[axis];
          }
      }
  return sums;
}

double largest_difference(const GradientSums& a, const GradientSums& b) {
  double largest = std::abs(a.norm - b.norm);
  for (int d = 0; d < 3; ++d) largest = std::max(largest, std::abs(a.gradient[d] - b.gradient[d]));
  return largest;
}

// Sums of some thousand terms of size 1.
constexpr double round_off = 2e-11;

template <class Test>
void for_every_variant(Test test) {
  test(Variant::compiler);
  for (const std::string& target : stencil_targets()) {
    SCOPED_TRACE(target);
    choose_stencil_target(target);
    test(Variant::explicit_simd);
  }
  choose_stencil_target("");
}

TEST(Gradient, EveryVariantAgreesWithTheDefinitionAtEverySize) {
  for_every_variant([](Variant variant) {
    auto check = [&](std::size_t x, std::size_t y, std::size_t z) {
      const Grid grid = grid_of(x, y, z);
      const Orbital u = random_orbital(grid);
      EXPECT_LT(largest_difference(gradient_sums(grid, u.data(), variant), reference(grid, u)),
                round_off)
          << x << ' ' << y << ' ' << z;
    };
    for (std::size_t z = 4; z <= 34; ++z) check(4, 5, z);
    for (std::size_t y = 4; y <= 12; ++y) check(5, y, 8);
    for (std::size_t x = 4; x <= 12; ++x) check(x, 4, 9);
    check(16, 16, 16);
  });
}

TEST(Gradient, AWaveHasItsOwnWaveVector) {
  const Grid grid = grid_of(8, 12, 20);
  Orbital u(grid.count());
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = std::polar(1.0, 2.0 * std::numbers::pi * double(i % 20) / 20.0);
  const double k = 2.0 * std::numbers::pi / (20 * 0.47);
  for_every_variant([&](Variant variant) {
    const GradientSums sums = gradient_sums(grid, u.data(), variant);
    EXPECT_NEAR(sums.norm, double(u.size()), 1e-9);
    EXPECT_NEAR(sums.gradient[2] / sums.norm, k, 1e-6 * k);
    EXPECT_NEAR(sums.gradient[0] / sums.norm, 0.0, 1e-12);
    EXPECT_NEAR(sums.gradient[1] / sums.norm, 0.0, 1e-12);
  });
}

TEST(Gradient, ADamagedPointIsFoundWhereverItLies) {
  const Grid grid = grid_of(9, 10, 12);
  const Orbital right = random_orbital(grid);
  const GradientSums expected = reference(grid, right);
  for_every_variant([&](Variant variant) {
    for (std::size_t i = 0; i < right.size(); i += 7) {
      Orbital wrong = right;
      wrong[i] += Complex(1e-8, 0.0);
      EXPECT_GT(largest_difference(gradient_sums(grid, wrong.data(), variant), expected), round_off)
          << i;
    }
  });
}

TEST(Gradient, NothingBesideTheOrbitalIsUsed) {
  for_every_variant([](Variant variant) {
    for (std::size_t z : {5, 8, 11}) {
      const Grid grid = grid_of(4, 4, z);
      const Orbital u = random_orbital(grid);
      Orbital between(u.size() + 16, Complex(NAN, NAN));
      std::copy(u.begin(), u.end(), between.begin() + 8);
      EXPECT_LT(
          largest_difference(gradient_sums(grid, between.data() + 8, variant), reference(grid, u)),
          round_off);
    }
  });
}

TEST(Gradient, RefusesAnAxisShorterThanItsReach) {
  const Grid grid = grid_of(8, 3, 8);
  const Orbital u = random_orbital(grid);
  EXPECT_THROW(gradient_sums(grid, u.data()), base::UserError);
}

}  // namespace
}  // namespace hakaru::apps::electrons
