// What a run has to keep: energy without a field, and what symmetry does not change.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "apps/electrons/simulation.hpp"
#include "apps/electrons/verify.hpp"
#include "native/parallel/test_main.hpp"

namespace hakaru::apps::electrons {
namespace {

parallel::Communicator alone() { return parallel::Communicator::borrow(MPI_COMM_SELF); }

Settings cell(const Shape& points, const Shape& mesh, int axis) {
  Settings s;
  s.system = make_system(soft_silicon(), points, mesh, axis, 5.0);
  s.field.kind = Field::Kind::none;
  s.field.direction = std::max(axis, 0);
  s.energy_interval = 50;
  return s;
}

// Orbitals that are not quite those of the ground state, so that what is unstable can grow.
GroundState disturbed(Simulation& simulation, double by) {
  GroundState state = simulation.find_ground_state({});
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> random(-by, by);
  Orbitals& u = state.orbitals;
  for (int k = 0; k < u.k_count(); ++k)
    for (int band = 0; band < u.bands(); ++band) {
      double norm = 0.0;
      for (std::size_t i = 0; i < u.points(); ++i) {
        u.at(k, band)[i] *= 1.0 + random(generator);
        norm += std::norm(u.at(k, band)[i]);
      }
      norm *= simulation.system().grid.cell_volume();
      for (std::size_t i = 0; i < u.points(); ++i) u.at(k, band)[i] /= std::sqrt(norm);
    }
  return state;
}

bool energy_is_kept(Simulation& simulation, double time) {
  base::Checks checks;
  const int steps = static_cast<int>(std::ceil(time / simulation.settings().propagator.dt));
  for (int i = 0; i < steps && simulation.watch().holds(); ++i) simulation.step();
  simulation.close();
  check_run(simulation, checks);
  EXPECT_EQ(checks.passed(), simulation.watch().holds());
  return checks.passed();
}

// 500 atomic units of time; what was unstable grew by 16 in 32 of them.
class Meshes : public ::testing::TestWithParam<std::pair<Shape, Shape>> {};

TEST_P(Meshes, EnergyIsKept) {
  const auto world = alone();
  Settings s = cell(GetParam().first, GetParam().second, 2);
  s.propagator.dt = 0.15, s.propagator.corrections = 0;
  Simulation simulation(s, world, {});
  const GroundState state = disturbed(simulation, 1e-4);
  simulation.begin(&state.orbitals);
  EXPECT_TRUE(energy_is_kept(simulation, 500.0));
  EXPECT_GE(simulation.history().back().time, 500.0);
  EXPECT_GE(simulation.watch().looks(), 40);
  EXPECT_LT(simulation.watch().worst().unexplained, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, Meshes,
                         ::testing::Values(std::pair<Shape, Shape>{{8, 8, 8}, {1, 1, 1}},
                                           std::pair<Shape, Shape>{{8, 8, 8}, {1, 1, 2}}));

// One translation for each rotation, and the group without one translation: no groups, and the
// watch says so.
class NoGroups : public ::testing::TestWithParam<bool> {};

TEST_P(NoGroups, EnergyIsNotKept) {
  const auto world = alone();
  Settings s = cell({8, 8, 8}, {1, 1, 2}, 2);
  s.propagator.dt = 0.15, s.propagator.corrections = 0;
  std::vector<Operation>& operations = s.system.operations;
  ASSERT_EQ(operations.size(), 32u);
  if (GetParam())
    operations.erase(operations.begin() + 1);
  else
    for (std::size_t i = 0; i < operations.size(); ++i)
      operations.erase(operations.begin() + std::ptrdiff_t(i) + 1,
                       operations.begin() + std::ptrdiff_t(i) + 4);
  ASSERT_EQ(operations.size(), GetParam() ? 31u : 8u);
  EXPECT_GT(missing_of(operations, s.system.grid.points).products, 0);
  Simulation simulation(s, world, {});
  const GroundState state = disturbed(simulation, 1e-4);
  simulation.begin(&state.orbitals);
  EXPECT_FALSE(energy_is_kept(simulation, 500.0));
}

INSTANTIATE_TEST_SUITE_P(All, NoGroups, ::testing::Bool());

// The orbitals of the whole mesh from those of the reduced one: u at x goes to the image of x.
Orbitals unfolded(const System& reduced, const System& whole, const Orbitals& from) {
  const CellGrid& grid = whole.grid;
  const int bands = from.bands();
  Orbitals all(grid.size(), 0, int(whole.k_points.size()), bands);
  for (int to = 0; to < all.k_count(); ++to) {
    bool found = false;
    for (int k = 0; k < from.k_count() && !found; ++k)
      for (const Operation& operation : reduced.operations) {
        const Vector turned = rotated(operation, reduced.k_points[k].k);
        double distance = 0.0;
        for (int d = 0; d < 3; ++d) distance += std::abs(turned[d] - whole.k_points[to].k[d]);
        if (distance > 1e-12) continue;
        for (int band = 0; band < bands; ++band) {
          const Complex* u = from.at(k, band);
          for (int x = 0; x < grid.points[0]; ++x)
            for (int y = 0; y < grid.points[1]; ++y)
              for (int z = 0; z < grid.points[2]; ++z) {
                const Shape place = image(operation, {x, y, z}, grid.points);
                all.at(to, band)[grid.index(place[0], place[1], place[2])] = *u++;
              }
        }
        found = true;
        break;
      }
    EXPECT_TRUE(found) << "a k-point that none of the reduced ones stands for";
  }
  return all;
}

struct ReducedRun {
  Shape points, mesh;
  int axis;
  Geometry geometry;
};

class Reduced : public ::testing::TestWithParam<ReducedRun> {};

// A strong field, so that the mean field moves: the symmetric run has the currents, densities and
// energies of the one without symmetry.
TEST_P(Reduced, IsTheWhole) {
  const auto world = alone();
  const ReducedRun run = GetParam();
  Settings s = cell(run.points, run.mesh, run.axis), plain = cell(run.points, run.mesh, -1);
  for (Settings* one : {&s, &plain}) {
    one->field = {Field::Kind::impulse, run.axis, 0.2};
    one->geometry = run.geometry;
    one->propagator.dt = 0.2, one->energy_interval = 10;
  }
  Simulation with(s, world, {}), without(plain, world, {});
  ASSERT_GT(without.system().k_points.size(), with.system().k_points.size());
  const GroundState state = with.find_ground_state({});
  const Orbitals orbitals = unfolded(with.system(), without.system(), state.orbitals);
  with.begin(&state.orbitals), without.begin(&orbitals);
  for (int i = 0; i < 30; ++i) with.step(), without.step();
  const Moment &here = with.history().back(), &there = without.history().back();
  EXPECT_GT(std::abs(here.current[run.axis]), 1e-6);
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(here.current[d], there.current[d], 1e-11);
  EXPECT_NEAR(here.energy, there.energy, 1e-10);
  EXPECT_NEAR(here.work, there.work, 1e-10);
  EXPECT_NEAR(here.a, there.a, 1e-11);
  double worst = 0.0, moved = 0.0;
  for (std::size_t i = 0; i < state.density.size(); ++i) {
    const double n = with.points()[0].density()[i];
    worst = std::max(worst, std::abs(n - without.points()[0].density()[i]));
    moved = std::max(moved, std::abs(n - state.density[i]));
  }
  EXPECT_LT(worst, 1e-11);
  EXPECT_GT(moved, 1e-4) << "the mean field matters";
}

INSTANTIATE_TEST_SUITE_P(
    All, Reduced,
    ::testing::Values(ReducedRun{{12, 12, 12}, {2, 2, 2}, 2, Geometry::transverse},
                      ReducedRun{{12, 12, 12}, {2, 2, 2}, 0, Geometry::longitudinal},
                      ReducedRun{{12, 12, 12}, {3, 2, 1}, 2, Geometry::transverse},
                      ReducedRun{{14, 14, 14}, {2, 1, 1}, 1, Geometry::transverse}));

Moment at(double time, double energy, double work, double a = 0.0) {
  Moment moment;
  moment.time = time, moment.energy = energy, moment.work = work, moment.a = a;
  moment.electrons = 32.0;
  return moment;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

TEST(EnergyWatch, TheFieldsWorkExplainsTheEnergy) {
  EnergyWatch watch(32.0, 1.5, 0.1);
  for (const double t : {0.0, 0.1, 0.2}) watch.add(at(t, -3.0 + t * t, t * t));
  watch.add(at(0.3, unknown, 7.0));
  watch.add(at(0.4, -2.84, 0.16));
  EXPECT_TRUE(watch.holds());
  EXPECT_EQ(watch.looks(), 3);
  watch.add(at(0.5, -2.7, 0.25));
  EXPECT_FALSE(watch.holds());
  EXPECT_NEAR(watch.worst().unexplained, 0.05, 1e-12);
  EXPECT_EQ(watch.worst().time, 0.5);
}

TEST(EnergyWatch, ADriftWithoutAFieldIsFoundAndStaysFound) {
  EnergyWatch watch(32.0, 1.5, 0.1);
  for (const double drift : {0.0, 5e-7, 2e-6, 0.0}) watch.add(at(drift, -3.0 + drift, 0.0));
  EXPECT_FALSE(watch.holds());
}

TEST(EnergyWatch, BeginsWithTheFirstEnergyThatIsKnown) {
  EnergyWatch watch(32.0, 1.5, 0.1);
  watch.add(at(0.0, unknown, 0.0));
  watch.add(at(0.1, -2.0, 1.0));
  watch.add(at(0.2, -1.5, 1.5));
  EXPECT_TRUE(watch.holds());
  EXPECT_EQ(watch.looks(), 1);
}

TEST(EnergyWatch, WhatIsNoNumberIsBeyondEveryLimit) {
  for (const double bad : {unknown, std::numeric_limits<double>::infinity()}) {
    EnergyWatch watch(32.0, 1.5, 0.1);
    watch.add(at(0.0, -3.0, 0.0));
    watch.add(at(0.1, finite_or_largest(bad), 0.0));
    EXPECT_FALSE(watch.holds());
    EnergyWatch from_the_start(32.0, 1.5, 0.1);
    for (const double t : {0.0, 0.1}) from_the_start.add(at(t, finite_or_largest(bad), 0.0));
    EXPECT_FALSE(from_the_start.holds());
  }
}

}  // namespace
}  // namespace hakaru::apps::electrons

HAKARU_MPI_TEST_MAIN()
