// Groups of symmetries: the operations, the means over them, the k-points, and the Hamiltonian.
#include "apps/electrons/symmetry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

#include "apps/electrons/hamiltonian.hpp"
#include "apps/electrons/k_points.hpp"
#include "apps/electrons/mean_field.hpp"

namespace hakaru::apps::electrons {
namespace {

struct Case {
  Crystal crystal;
  Shape points, mesh;
  int direction;
  std::size_t order;  // of the group
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.crystal.name;
  for (const int n : one.points) *out << ' ' << n;
  *out << ", k";
  for (const int n : one.mesh) *out << ' ' << n;
  *out << ", axis " << one.direction;
}

CellGrid grid_of(const Case& one) { return {one.points, one.crystal.lengths}; }

std::vector<Operation> operations_of(const Case& one) {
  return symmetries(one.crystal, grid_of(one), one.mesh, one.direction);
}

// Silicon's cell holds four lattice points; about z there are eight rotations (4mm), half of them
// with a quarter of the diagonal, which 14 points do not have; a mesh that is not square leaves
// four (mm2). Quartz (P3_2 21, centred): a twofold axis along x, none along y and z.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Crystal& crystal : {silicon(), soft_silicon(), diamond()})
    for (const int direction : {0, 1, 2})
      all.push_back({crystal, {12, 12, 12}, {2, 2, 2}, direction, 32});
  all.push_back({soft_silicon(), {14, 14, 14}, {2, 2, 2}, 2, 16});
  all.push_back({soft_silicon(), {13, 13, 13}, {2, 2, 2}, 2, 4});
  all.push_back({soft_silicon(), {12, 16, 12}, {2, 2, 2}, 2, 16});
  all.push_back({soft_silicon(), {12, 12, 12}, {4, 2, 2}, 2, 16});
  all.push_back({soft_silicon(), {12, 12, 12}, {4, 2, 2}, 0, 32});
  all.push_back({quartz(), {20, 36, 20}, {2, 1, 2}, 0, 4});
  all.push_back({quartz(), {20, 36, 20}, {2, 1, 2}, 1, 2});
  all.push_back({quartz(), {20, 36, 20}, {2, 1, 2}, 2, 2});
  all.push_back({quartz(), {21, 36, 20}, {2, 1, 2}, 0, 2});
  return all;
}

struct Random {
  std::mt19937 generator{7};
  double operator()() { return std::uniform_real_distribution<double>(-1.0, 1.0)(generator); }
  std::vector<double> density(std::size_t points) {
    std::vector<double> values(points);
    for (double& value : values) value = 1.0 + (*this)();
    return values;
  }
};

double furthest(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// What was once taken for the group: one translation for each rotation.
std::vector<Operation> one_translation(const std::vector<Operation>& group) {
  std::vector<Operation> result;
  for (const Operation& operation : group) {
    const bool known = std::ranges::any_of(result, [&](const Operation& other) {
      return other.axis == operation.axis && other.sign == operation.sign;
    });
    if (!known) result.push_back(operation);
  }
  return result;
}

class Crystals : public ::testing::TestWithParam<Case> {};

TEST_P(Crystals, OperationsAreAGroup) {
  const auto group = operations_of(GetParam());
  EXPECT_EQ(group.size(), GetParam().order);
  ASSERT_FALSE(group.empty());
  EXPECT_EQ(group[0], Operation{});
  const Missing missing = missing_of(group, GetParam().points);
  EXPECT_EQ(missing.products, 0);
  EXPECT_EQ(missing.inverses, 0);
}

TEST_P(Crystals, NoGroupWithoutAnyOneOfThem) {
  const auto group = operations_of(GetParam());
  for (std::size_t dropped = 0; dropped < group.size() && group.size() > 2; ++dropped) {
    auto rest = group;
    rest.erase(rest.begin() + std::ptrdiff_t(dropped));
    EXPECT_GT(missing_of(rest, GetParam().points).products, 0) << dropped;
  }
}

TEST_P(Crystals, TheFieldStaysAsItIs) {
  Vector field{};
  field[GetParam().direction] = 1.0;
  for (const Operation& operation : operations_of(GetParam()))
    EXPECT_EQ(rotated(operation, field), field);
}

TEST_P(Crystals, TheMeanOfADensityIsAProjector) {
  const CellGrid grid = grid_of(GetParam());
  const auto group = operations_of(GetParam());
  Random random;
  std::vector<double> once = random.density(grid.size()), other = random.density(grid.size());
  const std::vector<double> as_it_was = once, other_as_it_was = other;
  symmetrise(grid, group, once.data()), symmetrise(grid, group, other.data());
  std::vector<double> twice = once;
  symmetrise(grid, group, twice.data());
  EXPECT_LT(furthest(once, twice), 1e-14) << "rounding of up to 32 summands";
  double left = 0.0, right = 0.0, before = 0.0, after = 0.0;
  for (std::size_t i = 0; i < once.size(); ++i) {
    left += once[i] * other_as_it_was[i], right += as_it_was[i] * other[i];
    before += as_it_was[i], after += once[i];
  }
  EXPECT_NEAR(left, right, 1e-12 * std::abs(left)) << "symmetric, so orthogonal";
  EXPECT_NEAR(before, after, 1e-12 * before) << "electrons";
  for (const Operation& operation : group)
    for (int i = 0; i < 5; ++i) {
      const Shape x{i, 2 * i + 1, 7 - i}, to = image(operation, x, grid.points);
      EXPECT_NEAR(once[grid.index(x[0], x[1], x[2])], once[grid.index(to[0], to[1], to[2])], 1e-14);
    }
}

// Every k-point of the mesh is the image of one of the reduced ones, and of no other.
TEST_P(Crystals, ReducedMeshIsTheWholeOne) {
  const Crystal& crystal = GetParam().crystal;
  const auto group = operations_of(GetParam());
  for (const int n : {1, 2, 3}) {
    Shape mesh = GetParam().mesh;
    for (int& count : mesh) count *= n;
    const auto whole = monkhorst_pack(mesh, crystal, {Operation{}}),
               reduced = monkhorst_pack(mesh, crystal, group);
    ASSERT_EQ(whole.size(), std::size_t(mesh[0] * mesh[1] * mesh[2]));
    std::vector<double> weight(reduced.size(), 0.0);
    for (const KPoint& point : whole) {
      int owners = 0;
      for (std::size_t i = 0; i < reduced.size(); ++i) {
        const bool mapped = std::ranges::any_of(group, [&](const Operation& operation) {
          const Vector k = rotated(operation, reduced[i].k);
          double distance = 0.0;
          for (int d = 0; d < 3; ++d) distance += std::abs(k[d] - point.k[d]);
          return distance < 1e-12;
        });
        owners += mapped;
        if (mapped) weight[i] += point.weight;
      }
      EXPECT_EQ(owners, 1);
    }
    for (std::size_t i = 0; i < reduced.size(); ++i)
      EXPECT_NEAR(weight[i], reduced[i].weight, 1e-13);
  }
}

// u at x goes to the image of x, and from the Bloch vector k to its image.
std::vector<Complex> moved(const CellGrid& grid, const Operation& operation,
                           const std::vector<Complex>& u) {
  std::vector<Complex> result(u.size());
  std::size_t at = 0;
  for (int i = 0; i < grid.points[0]; ++i)
    for (int j = 0; j < grid.points[1]; ++j)
      for (int k = 0; k < grid.points[2]; ++k) {
        const Shape to = image(operation, {i, j, k}, grid.points);
        result[grid.index(to[0], to[1], to[2])] = u[at++];
      }
  return result;
}

// Ions, projectors and stencil are those of the group: h(Rk) O u = O h(k) u, and currents turn.
TEST_P(Crystals, TheHamiltonianHasTheSymmetry) {
  const CellGrid grid = grid_of(GetParam());
  const Hamiltonian hamiltonian(GetParam().crystal, grid, 4.0);
  MeanField field(GetParam().crystal, grid);
  Random random;
  std::vector<Complex> u(grid.size()), hu(grid.size()), image(grid.size());
  double norm = 0.0;
  for (Complex& value : u) value = {random(), random()}, norm += std::norm(value);
  for (Complex& value : u) value /= std::sqrt(norm * grid.cell_volume());
  const Vector k{0.11, -0.07, 0.05};
  Bloch bloch, bloch_image;
  hamiltonian.set(k, bloch);
  auto current = [&](const Vector& wave_vector, const Bloch& at, const std::vector<Complex>& of) {
    Vector j = hamiltonian.momentum(wave_vector, of.data());
    if (hamiltonian.nonlocal().empty()) return j;
    const Vector more = hamiltonian.nonlocal().expectation(at.phases, of.data()).current;
    return Vector{j[0] + more[0], j[1] + more[1], j[2] + more[2]};
  };
  hamiltonian.apply(bloch, field.ions().data(), u.data(), hu.data());
  const Vector j = current(k, bloch, u);
  for (const Operation& operation : operations_of(GetParam())) {
    const std::vector<Complex> v = moved(grid, operation, u), wanted = moved(grid, operation, hu);
    hamiltonian.set(rotated(operation, k), bloch_image);
    hamiltonian.apply(bloch_image, field.ions().data(), v.data(), image.data());
    double worst = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      worst = std::max(worst, std::abs(image[i] - wanted[i]));
      largest = std::max(largest, std::abs(wanted[i]));
    }
    EXPECT_LT(worst, 1e-12 * largest);
    const Vector turned = rotated(operation, j),
                 now = current(rotated(operation, k), bloch_image, v);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(now[d], turned[d], 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Crystals, ::testing::ValuesIn(cases()));

TEST(Symmetry, OneTranslationForEachRotationIsNoGroup) {
  const Case one{silicon(), {12, 12, 12}, {2, 2, 2}, 2, 32};
  const auto eight = one_translation(operations_of(one));
  ASSERT_EQ(eight.size(), 8u);
  EXPECT_GT(missing_of(eight, one.points).products, 0);
  EXPECT_GT(missing_of(eight, one.points).inverses, 0);
  const CellGrid grid = grid_of(one);
  std::vector<double> once = Random().density(grid.size());
  symmetrise(grid, eight, once.data());
  std::vector<double> twice = once;
  symmetrise(grid, eight, twice.data());
  EXPECT_GT(furthest(once, twice), 1e-3) << "no projector";
}

TEST(Symmetry, ADamagedCrystalHasNone) {
  Case one{silicon(), {12, 12, 12}, {2, 2, 2}, 2, 1};
  one.crystal.atoms[2].place = {1.0, 0.3, 0.7};
  EXPECT_EQ(operations_of(one).size(), 1u);
}

// Without its symmetry the Hamiltonian of the test above is found out.
TEST(Symmetry, ADisplacedAtomBreaksTheHamiltonians) {
  const Case one{soft_silicon(), {12, 12, 12}, {2, 2, 2}, 2, 32};
  const CellGrid grid = grid_of(one);
  Crystal moved_atom = one.crystal;
  moved_atom.atoms[1].place[0] += 1e-3;
  std::vector<double> ions = MeanField(moved_atom, grid).ions();
  const std::vector<double> as_they_were = ions;
  symmetrise(grid, operations_of(one), ions.data());
  EXPECT_GT(furthest(ions, as_they_were), 1e-5);
  ions = MeanField(one.crystal, grid).ions();
  const std::vector<double> right = ions;
  symmetrise(grid, operations_of(one), ions.data());
  EXPECT_LT(furthest(ions, right), 1e-14);
}

}  // namespace
}  // namespace hakaru::apps::electrons
