#include "apps/electrons/projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace hakaru::apps::electrons {
namespace {

using Orbital = std::vector<Complex>;

const Vector wave_vector{0.31, -0.17, 0.23};

CellGrid grid_of(int x, int y, int z) { return {{x, y, z}, {0.64 * x, 0.52 * y, 0.47 * z}}; }

struct Random {
  std::mt19937 generator{11};
  double operator()() { return std::uniform_real_distribution<double>(-1.0, 1.0)(generator); }
  Orbital orbital(std::size_t points) {
    Orbital u(points);
    for (Complex& value : u) value = {(*this)(), (*this)()};
    return u;
  }
};

struct Case {
  CellGrid grid;
  Vector place;
  double radius;
};

// Whole and wrapped spheres, ends of the grid, one point, none, the whole cell and more.
std::vector<Case> cases() {
  return {
      {grid_of(8, 8, 8), {2.6, 2.1, 1.9}, 1.3},     {grid_of(8, 8, 8), {0.0, 0.0, 0.0}, 1.7},
      {grid_of(9, 10, 11), {5.6, 5.1, 5.1}, 1.6},   {grid_of(9, 10, 11), {5.7, 0.1, 0.2}, 1.6},
      {grid_of(5, 4, 7), {0.1, 0.2, 3.2}, 1.2},     {grid_of(4, 4, 4), {1.0, 1.0, 1.0}, 50.0},
      {grid_of(5, 7, 13), {3.1, 0.3, 2.2}, 50.0},   {grid_of(16, 16, 16), {1.28, 2.08, 7.4}, 2.4},
      {grid_of(8, 8, 8), {4.48, 3.64, 3.29}, 0.01}, {grid_of(6, 6, 21), {3.4, 2.8, 9.8}, 1.5},
      {grid_of(8, 8, 8), {0.32, 0.26, 0.2}, 0.1}};
}

// The definition: values of `projectors` functions on the whole grid, cut off at the radius.
struct Made {
  Made(const Case& one, std::size_t projectors)
      : of(one), covered(cover(one.grid, one.place, one.radius)) {
    Random random;
    u = random.orbital(of.grid.size()), out = random.orbital(of.grid.size());
    for (std::size_t p = 0; p < projectors; ++p) {
      std::vector<double> whole(of.grid.size());
      for (double& value : whole) value = random();
      add_projector(covered.sphere, of.grid, whole, 0.1 + double(p));
      functions.push_back(std::move(whole));
      factors.push_back({random(), random()});
    }
    phases.resize(covered.sphere.phase_numbers());
    set_phases(covered.sphere, wave_vector, phases.data());
  }
  projection::Site site() const { return {covered.sphere, covered.windows.data(), phases.data()}; }

  // Calls body(point, r - R, exp(-iK(r - R))) for the points within the radius.
  template <class Body>
  void for_points(Body body) const {
    std::size_t point = 0;
    for (int i = 0; i < of.grid.points[0]; ++i)
      for (int j = 0; j < of.grid.points[1]; ++j)
        for (int k = 0; k < of.grid.points[2]; ++k, ++point) {
          const int at[3] = {i, j, k};
          Vector r;
          for (int d = 0; d < 3; ++d) {
            r[d] = at[d] * of.grid.spacing(d) - of.place[d];
            r[d] -= of.grid.lengths[d] * std::round(r[d] / of.grid.lengths[d]);
          }
          if (dot(r, r) <= of.radius * of.radius)
            body(point, r, std::polar(1.0, -dot(wave_vector, r)));
        }
  }
  Complex function(std::size_t p, std::size_t point, Complex phase) const {
    return functions[p][point] * std::sqrt(of.grid.cell_volume()) * phase;
  }

  Case of;
  Covered covered;
  LineVector<double> phases;
  std::vector<std::vector<double>> functions;
  Orbital u, out, factors;
};

Orbital products_of(const Made& made, Variant variant) {
  Orbital products(made.factors.size());
  projection::project(made.site(), made.u.data(), products.data(), variant);
  return products;
}

Orbital expected_products(const Made& made) {
  Orbital products(made.factors.size());
  made.for_points([&](std::size_t point, const Vector&, Complex phase) {
    for (std::size_t p = 0; p < products.size(); ++p)
      products[p] += std::conj(made.function(p, point, phase)) * made.u[point];
  });
  return products;
}

Orbital added(const Made& made, Variant variant) {
  Orbital out = made.out;
  projection::add(made.site(), made.factors.data(), out.data(), variant);
  return out;
}

Orbital expected_added(const Made& made) {
  Orbital out = made.out;
  made.for_points([&](std::size_t point, const Vector&, Complex phase) {
    for (std::size_t p = 0; p < made.factors.size(); ++p)
      out[point] += made.function(p, point, phase) * made.factors[p];
  });
  return out;
}

Vector expected_moments(const Made& made) {
  Vector sums{};
  made.for_points([&](std::size_t point, const Vector& r, Complex phase) {
    for (std::size_t p = 0; p < made.factors.size(); ++p)
      for (int d = 0; d < 3; ++d)
        sums[d] +=
            r[d] *
            (std::conj(made.u[point]) * made.function(p, point, phase) * made.factors[p]).imag();
  });
  return sums;
}

double largest_difference(const Orbital& a, const Orbital& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Sums of up to 500 terms of size 1 a projector.
constexpr double round_off = 1e-12;

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

TEST(Sphere, WindowsHoldEveryPointOnceAndStayInTheGrid) {
  for (const Case& one : cases()) {
    const Covered covered = cover(one.grid, one.place, one.radius);
    const Sphere& s = covered.sphere;
    EXPECT_EQ(s.points, points_within(one.grid, one.place, one.radius));
    ASSERT_EQ(covered.windows.size(), s.blocks * block_windows);
    for (const std::uint32_t first : covered.windows)
      EXPECT_LE(first + window_points, one.grid.size());
    std::set<std::size_t> points;
    for (std::size_t entry = 0; entry < s.entries(); ++entry) {
      const auto& at = s.place[entry];
      const std::size_t within = entry % block_points;
      EXPECT_EQ(one.grid.index(int(at[0]), int(at[1]), int(at[2])),
                covered.windows[entry / block_points * block_windows + within % 2] + within / 2);
      if (!s.inside[entry]) continue;
      EXPECT_TRUE(points.insert(one.grid.index(int(at[0]), int(at[1]), int(at[2]))).second);
    }
    EXPECT_EQ(points.size(), s.points);
  }
}

TEST(Sphere, IsAlikeWhereAtomsLieAlikeBetweenThePoints) {
  const CellGrid grid = grid_of(16, 16, 16);
  const auto at = [&](double z) { return cover(grid, {3.0, 4.0, z}, 1.6).sphere; };
  EXPECT_TRUE(alike(at(2.0), at(2.0 + 4 * 0.47)));
  EXPECT_FALSE(alike(at(2.0), at(2.0 + 4.1 * 0.47)));
  EXPECT_FALSE(alike(at(2.0), cover(grid, {3.0, 4.0, 2.0}, 1.9).sphere));
}

TEST(Projection, EveryVariantAgreesWithTheDefinition) {
  for_every_variant([](Variant variant) {
    for (const Case& one : cases())
      for (const std::size_t projectors : {1, 2, 3, 4, 5, 6, 8, 11}) {
        const Made made(one, projectors);
        EXPECT_LT(largest_difference(products_of(made, variant), expected_products(made)),
                  round_off);
        EXPECT_LT(largest_difference(added(made, variant), expected_added(made)), round_off);
        const Vector moments =
            projection::moments(made.site(), made.factors.data(), made.u.data(), variant);
        for (int d = 0; d < 3; ++d)
          EXPECT_NEAR(moments[d], expected_moments(made)[d], projectors * round_off);
      }
  });
}

TEST(Projection, NothingBesideTheOrbitalsIsUsed) {
  const Made made({grid_of(5, 4, 7), {2.9, 1.9, 3.2}, 1.4}, 5);
  const auto framed = [](const Orbital& u) {
    Orbital wide(u.size() + 16, Complex(NAN, NAN));
    std::copy(u.begin(), u.end(), wide.begin() + 8);
    return wide;
  };
  for_every_variant([&](Variant variant) {
    const Orbital u = framed(made.u);
    Orbital products(made.factors.size()), out = framed(made.out);
    projection::project(made.site(), u.data() + 8, products.data(), variant);
    EXPECT_LT(largest_difference(products, expected_products(made)), round_off);
    projection::add(made.site(), made.factors.data(), out.data() + 8, variant);
    EXPECT_LT(largest_difference(Orbital(out.begin() + 8, out.end() - 8), expected_added(made)),
              round_off);
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_TRUE(std::isnan(out[i].real()) && std::isnan(out[out.size() - 1 - i].imag()));
  });
}

TEST(Projection, AnyDamagedNumberIsFound) {
  const Case one{grid_of(9, 10, 11), {5.6, 0.1, 5.1}, 1.1};
  const Made right(one, 3);
  const Orbital products = expected_products(right), out = expected_added(right);
  for_every_variant([&](Variant variant) {
    const auto is_found = [&](const Made& wrong) {
      return largest_difference(products_of(wrong, variant), products) > round_off &&
             largest_difference(added(wrong, variant), out) > round_off;
    };
    EXPECT_FALSE(is_found(right));
    const Sphere& s = right.covered.sphere;
    for (std::size_t entry = 0; entry < s.entries(); ++entry) {
      if (!s.inside[entry]) continue;
      const std::size_t block = entry / block_points, i = entry % block_points;
      Made wrong = right;
      wrong.covered.sphere.values[(block * 3 + entry % 3) * block_points + i] += 1e-8;
      EXPECT_TRUE(is_found(wrong)) << "value " << entry;
      for (const std::size_t part : {0, 1}) {
        wrong = right;
        wrong.phases[(2 * block + part) * block_points + i] += 1e-8;
        EXPECT_TRUE(is_found(wrong)) << "phase " << entry;
      }
    }
    for (std::size_t window = 0; window < right.covered.windows.size(); ++window) {
      Made wrong = right;
      std::uint32_t& first = wrong.covered.windows[window];
      first = first == 0 ? 1 : first - 1;
      const std::size_t from = window / 2 * block_points + window % 2;
      bool used = false;
      for (std::size_t i = 0; i < window_points; ++i) used = used || s.inside[from + 2 * i];
      EXPECT_EQ(is_found(wrong), used) << "window " << window;
    }
  });
}

}  // namespace
}  // namespace hakaru::apps::electrons
