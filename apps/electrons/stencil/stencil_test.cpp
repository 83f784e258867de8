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

TEST(Stencil, TheFusedFormAddsTheScaledInput) {
  const Complex factor(0.3, -0.7);
  for_every_variant([&](const StencilOptions& options) {
    for (const Grid& grid : {grid_of(4, 5, 16), grid_of(5, 4, 21)}) {
      const StencilCoefficients c = stencil_coefficients(grid, wave_vector);
      Fields fields(grid);
      Orbital expected = fields.sum, separate = fields.sum;
      for (std::size_t n = 0; n < grid.count(); ++n) expected[n] += factor * fields.in[n];
      accumulate(grid, fields.in.data(), factor, separate.data());
      EXPECT_LT(largest_difference(separate, expected), round_off);
      apply_accumulate(c, grid, fields.potential.data(), fields.in.data(), fields.out.data(),
                       factor, fields.sum.data(), options);
      EXPECT_LT(largest_difference(fields.sum, expected), round_off);
      EXPECT_LT(largest_difference(fields.out, reference(c, grid, fields)), round_off);
    }
  });
}

TEST(Stencil, NothingBesideTheArraysIsWritten) {
  for_every_variant([&](const StencilOptions& options) {
    for (std::size_t z : {4, 7, 16, 29}) {
      const Grid grid = grid_of(4, 4, z);
      Fields fields(grid);
      const Complex mark(1e9, -1e9);
      Orbital out(grid.count() + 16, mark), sum(grid.count() + 16, mark);
      apply_accumulate(stencil_coefficients(grid, wave_vector), grid, fields.potential.data(),
                       fields.in.data(), out.data() + 8, 1.0, sum.data() + 8, options);
      for (std::size_t n = 0; n < 8; ++n) {
        EXPECT_EQ(out[n], mark);
        EXPECT_EQ(sum[n], mark);
        EXPECT_EQ(out[out.size() - 1 - n], mark);
        EXPECT_EQ(sum[sum.size() - 1 - n], mark);
      }
    }
  });
}

// The error of h on a plane wave exp(i G z), whose eigenvalue is (G + K)^2 / 2, for a cell of
// `points` points along z and a wave that fits it `waves` times.
double error_on_a_wave(std::size_t points, const std::array<double, 3>& k, int axis,
                       const StencilOptions& options) {
  constexpr double cell = 10.0, waves = 2.0;
  Grid grid{{4, 4, 4}, {1.0, 1.0, 1.0}};
  grid.points[axis] = points;
  grid.spacing_bohr[axis] = cell / static_cast<double>(points);
  const double g = 2.0 * std::numbers::pi * waves / cell;
  Fields fields(grid);
  std::fill(fields.potential.begin(), fields.potential.end(), 0.0);
  const auto [nx, ny, nz] = grid.points;
  for (std::size_t n = 0; n < grid.count(); ++n) {
    const std::array<std::size_t, 3> at = {n / (ny * nz), n / nz % ny, n % nz};
    fields.in[n] = std::polar(1.0, g * grid.spacing_bohr[axis] * static_cast<double>(at[axis]));
  }
  apply(stencil_coefficients(grid, k), grid, fields.potential.data(), fields.in.data(),
        fields.out.data(), options);
  double exact = 0.0, largest = 0.0;
  for (int a = 0; a < 3; ++a) exact += 0.5 * std::pow(k[a] + (a == axis ? g : 0.0), 2);
  for (std::size_t n = 0; n < grid.count(); ++n)
    largest = std::max(largest, std::abs(fields.out[n] - exact * fields.in[n]));
  return largest;
}

double observed_order(const std::array<double, 3>& k, int axis, const StencilOptions& options) {
  return std::log2(error_on_a_wave(20, k, axis, options) / error_on_a_wave(40, k, axis, options));
}

TEST(Stencil, LaplacianAndGradientAreOfOrderEight) {
  for_every_variant([&](const StencilOptions& options) {
    for (int axis = 0; axis < 3; ++axis) {
      // Halving a spacing of G h = 0.63: the next order bends the observed one a little.
      EXPECT_NEAR(observed_order({0.0, 0.0, 0.0}, axis, options), 8.0, 0.25);
      // Against G the two errors differ in sign, so that neither hides the other.
      std::array<double, 3> k = {};
      k[axis] = 40.0;
      EXPECT_NEAR(observed_order(k, axis, options), 8.0, 0.25) << "gradient";
    }
  });
}

TEST(Stencil, IsHermitian) {
  for_every_variant([&](const StencilOptions& options) {
    const Grid grid = grid_of(6, 9, 14);
    const StencilCoefficients c = stencil_coefficients(grid, wave_vector);
    Fields f(grid, 1), g(grid, 2);
    apply(c, grid, f.potential.data(), f.in.data(), f.out.data(), options);
    apply(c, grid, f.potential.data(), g.in.data(), g.out.data(), options);
    Complex fhg = 0.0, ghf = 0.0;
    for (std::size_t n = 0; n < grid.count(); ++n) {
      fhg += std::conj(f.in[n]) * g.out[n];
      ghf += std::conj(g.in[n]) * f.out[n];
    }
    EXPECT_LT(std::abs(fhg - std::conj(ghf)), 1e-13 * static_cast<double>(grid.count()));
  });
}

TEST(Stencil, AnyDamagedCoefficientIsFound) {
  // Below nine points an axis meets itself: u(r+3) - u(r-3) vanishes with six.
  const Grid grid = grid_of(9, 10, 12);
  const StencilCoefficients right = stencil_coefficients(grid, wave_vector);
  Fields fields(grid);
  const Orbital expected = reference(right, grid, fields);
  for_every_variant([&](const StencilOptions& options) {
    for (int which = 0; which < 1 + 2 * 3 * stencil_reach; ++which) {
      StencilCoefficients wrong = right;
      double* damaged = which == 0    ? &wrong.centre
                        : which <= 12 ? &wrong.laplacian[0][0] + which - 1
                                      : &wrong.gradient[0][0] + which - 13;
      *damaged += 1e-9;
      apply(wrong, grid, fields.potential.data(), fields.in.data(), fields.out.data(), options);
      EXPECT_GT(largest_difference(fields.out, expected), 1e-10) << which;
    }
  });
}

TEST(Stencil, AConstantHasOnlyTheEnergyOfItsWaveVector) {
  const Grid grid = grid_of(5, 6, 8);
  Fields fields(grid);
  std::fill(fields.potential.begin(), fields.potential.end(), 0.0);
  std::fill(fields.in.begin(), fields.in.end(), Complex(1.0, 0.0));
  apply(stencil_coefficients(grid, wave_vector), grid, fields.potential.data(), fields.in.data(),
        fields.out.data());
  double energy = 0.0;
  for (double k : wave_vector) energy += 0.5 * k * k;
  for (const Complex& value : fields.out) EXPECT_LT(std::abs(value - energy), round_off);
}

TEST(WorkOrbitals, BeginOnLinesAndDoNotOverlap) {
  for (std::size_t points : {64, 65, 67, 4096}) {
    WorkOrbitals orbitals(points, 3);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(orbitals[i]) % WorkOrbitals::line_bytes, 0u);
      std::fill_n(orbitals[i], points, Complex(1.0 + static_cast<double>(i)));
    }
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t n = 0; n < points; ++n)
        ASSERT_EQ(orbitals[i][n], 1.0 + static_cast<double>(i));
  }
}

TEST(Stencil, RefusesWhatItCannotDo) {
  const Grid grid = grid_of(8, 3, 8);
  Fields fields(grid);
  try {
    apply(stencil_coefficients(grid, wave_vector), grid, fields.potential.data(), fields.in.data(),
          fields.out.data());
    FAIL() << "three points along an axis were accepted";
  } catch (const base::UserError& error) {
    EXPECT_NE(std::string(error.what()).find("at least 4 points"), std::string::npos);
  }
  EXPECT_THROW(choose_stencil_target("no such target"), base::UserError);
  EXPECT_FALSE(stencil_targets().empty());
}

}  // namespace
}  // namespace hakaru::apps::electrons
