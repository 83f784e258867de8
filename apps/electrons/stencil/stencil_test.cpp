#include "apps/electrons/stencil/stencil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

using Orbital = std::vector<Complex>;

constexpr std::array<double, 3> wave_vector = {0.31, -0.17, 0.23};

Grid grid_of(std::size_t x, std::size_t y, std::size_t z) {
  return {{x, y, z}, {0.64, 0.52, 0.47}};
}

struct Fields {
  explicit Fields(const Grid& grid, unsigned seed = 1)
      : potential(grid.count()), in(grid.count()), out(grid.count()), sum(grid.count()) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (double& v : potential) v = uniform(random);
    for (Complex& u : in) u = {uniform(random), uniform(random)};
    for (Complex& u : sum) u = {uniform(random), uniform(random)};
  }
  std::vector<double> potential;
  Orbital in, out, sum;
};

// The definition, with an index for every neighbour.
Orbital reference(const StencilCoefficients& c, const Grid& grid, const Fields& fields) {
  const auto [nx, ny, nz] = grid.points;
  const std::array<long, 3> points = {long(nx), long(ny), long(nz)};
  const Complex i(0.0, 1.0);
  auto at = [&](std::array<long, 3> r) {
    for (int axis = 0; axis < 3; ++axis) r[axis] = (r[axis] + 4 * points[axis]) % points[axis];
    return fields.in[(r[0] * ny + r[1]) * nz + r[2]];
  };
  Orbital result;
  for (long x = 0; x < points[0]; ++x)
    for (long y = 0; y < points[1]; ++y)
      for (long z = 0; z < points[2]; ++z) {
        Complex value = (fields.potential[result.size()] + c.centre) * at({x, y, z});
        for (int axis = 0; axis < 3; ++axis)
          for (int m = 1; m <= stencil_reach; ++m) {
            std::array<long, 3> up = {x, y, z}, down = up;
            up[axis] += m;
            down[axis] -= m;
            value += c.laplacian[axis][m - 1] * (at(up) + at(down)) -
                     i * c.gradient[axis][m - 1] * (at(up) - at(down));
          }
        result.push_back(value);
      }
  return result;
}

double largest_difference(const Orbital& a, const Orbital& b) {
  double largest = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) largest = std::max(largest, std::abs(a[n] - b[n]));
  return largest;
}

// 50 terms of size up to 4 (centre) with some rounding each.
constexpr double round_off = 2e-14;

// Calls test(options) for the compiler's variant and for every target of the explicit one.
template <class Test>
void for_every_variant(Test test) {
  test(StencilOptions{Variant::compiler, 0});
  for (const std::string& target : stencil_targets()) {
    choose_stencil_target(target);
    EXPECT_EQ(stencil_target(Variant::explicit_simd), target);
    SCOPED_TRACE(target);
    for (std::size_t prefetch_bytes : {0, 128})
      test(StencilOptions{Variant::explicit_simd, prefetch_bytes});
  }
  choose_stencil_target("");
}

TEST(Stencil, EveryVariantAgreesWithTheDefinitionAtEverySize) {
  const std::array<std::array<std::size_t, 3>, 9> edges = {{{4, 4, 4},
                                                            {5, 4, 7},
                                                            {4, 5, 6},
                                                            {9, 8, 5},
                                                            {6, 9, 11},
                                                            {7, 6, 13},
                                                            {16, 16, 16},
                                                            {5, 4, 37},
                                                            {4, 36, 52}}};
  for_every_variant([&](const StencilOptions& options) {
    auto check = [&](std::size_t x, std::size_t y, std::size_t z) {
      const Grid grid = grid_of(x, y, z);
      const StencilCoefficients c = stencil_coefficients(grid, wave_vector);
      Fields fields(grid);
      const Orbital expected = reference(c, grid, fields);
      apply(c, grid, fields.potential.data(), fields.in.data(), fields.out.data(), options);
      EXPECT_LT(largest_difference(fields.out, expected), round_off) << x << ' ' << y << ' ' << z;
    };
    for (const auto& [x, y, z] : edges) check(x, y, z);
    for (std::size_t z = 4; z <= 34; ++z) check(4, 5, z);
  });
}

}  // namespace
}  // namespace hakaru::apps::electrons
