#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "apps/electrons/common_quantum.hpp"
#include "apps/electrons/ewald.hpp"
#include "apps/electrons/exchange_correlation.hpp"
#include "apps/electrons/ground_state.hpp"
#include "native/parallel/test_main.hpp"

namespace hakaru::apps::electrons {
namespace {

std::vector<Complex> wave(const CellGrid& grid, const Vector& k = {0.3, -0.2, 0.1}) {
  return starting_vectors(grid, k, 3, 1).values;
}

Complex product(const Complex* a, const Complex* b, std::size_t size) {
  Complex sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) sum += std::conj(a[i]) * b[i];
  return sum;
}

TEST(Ewald, SiliconAndAnySplitting) {
  const Crystal crystal = silicon();
  EXPECT_NEAR(ewald_energy(crystal), -33.601859145, 1e-9);
  EXPECT_NEAR(ewald_energy(crystal, 0.3), ewald_energy(crystal, 0.5), 1e-10);
}

TEST(Ewald, AMovedIonCostsEnergy) {
  Crystal crystal = silicon();
  crystal.atoms[3].place[1] += 0.1;
  EXPECT_GT(ewald_energy(crystal), -33.601859145 + 1e-4);
}

TEST(Crystal, CountsElectrons) {
  EXPECT_EQ(silicon().electrons(), 32);
  EXPECT_EQ(diamond().occupied(), 16);
  EXPECT_EQ(quartz().atoms.size(), 18u);
  EXPECT_EQ(quartz().electrons(), 96);
  EXPECT_THROW(crystal_of("gold", 0.0), std::exception);
}

TEST(Crystal, QuartzHasTwoOxygensAtEachDistanceFromSilicon) {
  const Crystal crystal = quartz();
  for (const Atom& a : crystal.atoms) {
    int neighbours = 0;
    for (const Atom& b : crystal.atoms) {
      double square = 0.0;
      for (int d = 0; d < 3; ++d) {
        const double x = a.place[d] - b.place[d], length = crystal.lengths[d];
        square += std::pow(x - length * std::round(x / length), 2);
      }
      neighbours += a.species != b.species && square < 3.2 * 3.2;
    }
    EXPECT_EQ(neighbours, a.species == 0 ? 4 : 2);
  }
}

TEST(Symmetry, ReducedMeshKeepsItsWeight) {
  const Crystal crystal = silicon();
  const CellGrid grid{{12, 12, 12}, crystal.lengths};
  const auto operations = symmetries(crystal, grid, {1, 1, 1}, 2);
  for (const int n : {1, 2, 3, 4}) {
    double whole = 0.0;
    const auto points = monkhorst_pack({n, n, n}, crystal, operations);
    for (const KPoint& point : points) whole += point.weight;
    EXPECT_NEAR(whole, 1.0, 1e-14);
    EXPECT_LE(points.size(), std::size_t(n * n * n));
  }
  EXPECT_EQ(monkhorst_pack({4, 4, 4}, crystal, operations).size(), 12u);
  EXPECT_EQ(monkhorst_pack({4, 4, 4}, crystal, {Operation{}}).size(), 64u);
}

TEST(ExchangeCorrelation, PotentialIsTheDerivative) {
  for (const double n : {0.001, 0.03, 0.2, 0.5, 3.0}) {
    const double d = 1e-5 * n;
    const double slope = ((n + d) * exchange_correlation(n + d).energy -
                          (n - d) * exchange_correlation(n - d).energy) /
                         (2.0 * d);
    EXPECT_NEAR(exchange_correlation(n).potential, slope, 2e-8) << n;
  }
  EXPECT_EQ(exchange_correlation(0.0).energy, 0.0);
}

TEST(MeanField, HartreeOfACosine) {
  Crystal crystal{"empty", {8.0, 9.0, 10.0}, {}, {}};
  const CellGrid grid{{8, 10, 12}, crystal.lengths};
  MeanField field(crystal, grid);
  const double g = 2.0 * std::numbers::pi / 9.0;
  std::vector<double> density(grid.size()), potential;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 12; ++k)
        density[grid.index(i, j, k)] = 0.2 + 0.1 * std::cos(g * grid.spacing(1) * j);
  field.potential(density, potential);
  for (std::size_t i = 0; i < density.size(); i += 7)
    EXPECT_NEAR(potential[i] - exchange_correlation(density[i]).potential,
                4.0 * std::numbers::pi / (g * g) * (density[i] - 0.2), 1e-12);
}

TEST(Hamiltonian, IsHermitian) {
  const Crystal crystal = silicon();
  const CellGrid grid{{12, 12, 12}, crystal.lengths};
  const Hamiltonian hamiltonian(crystal, grid, 4.0);
  MeanField field(crystal, grid);
  Bloch bloch;
  hamiltonian.set({0.1, 0.2, -0.3}, bloch);
  const auto u = wave(grid);
  std::vector<Complex> hu(grid.size()), hv(grid.size());
  const Complex* v = u.data() + grid.size();
  hamiltonian.apply(bloch, field.ions().data(), u.data(), hu.data());
  hamiltonian.apply(bloch, field.ions().data(), v, hv.data());
  const Complex left = product(v, hu.data(), grid.size()),
                right = product(hv.data(), u.data(), grid.size());
  EXPECT_LT(std::abs(left - right), 1e-13 * std::abs(product(u.data(), hu.data(), grid.size())));
  EXPECT_GT(std::abs(left), 1e-3);
}

// d<h>/dK by central differences, for the gradient of the stencil and for the commutator.
TEST(Hamiltonian, CurrentIsTheDerivativeOfTheEnergy) {
  const Crystal crystal = silicon();
  const CellGrid grid{{12, 12, 12}, crystal.lengths};
  const Hamiltonian hamiltonian(crystal, grid, 4.0);
  auto u = wave(grid);
  const double norm = grid.cell_volume() * product(u.data(), u.data(), grid.size()).real();
  for (Complex& value : u) value /= std::sqrt(norm);
  const Vector k{0.1, 0.2, -0.3};
  const std::vector<double> zero(grid.size(), 0.0);
  auto energy = [&](const Vector& at) {
    Bloch bloch;
    std::vector<Complex> hu(grid.size());
    hamiltonian.set(at, bloch);
    hamiltonian.apply(bloch, zero.data(), u.data(), hu.data());
    return grid.cell_volume() * product(u.data(), hu.data(), grid.size()).real();
  };
  Bloch bloch;
  hamiltonian.set(k, bloch);
  const Vector local = hamiltonian.momentum(k, u.data());
  const auto nonlocal = hamiltonian.nonlocal().expectation(bloch.phases, u.data());
  for (int d = 0; d < 3; ++d) {
    Vector up = k, down = k;
    up[d] += 1e-4, down[d] -= 1e-4;
    const double slope = (energy(up) - energy(down)) / 2e-4;
    EXPECT_NEAR(local[d] + nonlocal.current[d], slope, 1e-7);
    EXPECT_GT(std::abs(nonlocal.current[d]), 1e-4) << "the commutator is no small part";
  }
}

TEST(Nonlocal, CountsItsPoints) {
  const Crystal crystal = silicon();
  const CellGrid grid{{16, 16, 16}, crystal.lengths};
  const NonlocalCount counted = count_nonlocal(crystal, grid, 5.0),
                      made = Nonlocal(crystal, grid, 5.0).count();
  EXPECT_EQ(counted.points, made.points);
  EXPECT_EQ(counted.projector_points, made.projector_points);
  EXPECT_EQ(made.projectors, 40.0);
}

// Appelbaum-Hamann silicon at the special points: -4.25220 hartree an atom and 1.0573 eV on 16^3.
TEST(GroundState, SoftSilicon) {
  const auto world = parallel::Communicator::world();
  const System system = make_system(soft_silicon(), {16, 16, 16}, {2, 2, 2}, 2, 5.0);
  const Hamiltonian hamiltonian(system.crystal, system.grid, system.reach);
  MeanField field(system.crystal, system.grid);
  const GroundState state = find_ground_state(system, hamiltonian, field, world, {});
  EXPECT_TRUE(state.converged);
  EXPECT_NEAR(state.energy / 8.0, -4.25220, 1e-4);
  const auto bands = bands_at(hamiltonian, field, state.potential, {0, 0, 0}, 18);
  constexpr double ev = 27.211386;
  EXPECT_NEAR((bands[16] - bands[15]) * ev, 1.0573, 0.010);
  EXPECT_NEAR(bands[13], bands[15], 1e-5) << "the valence band's top is threefold";

  std::vector<double> moved = state.potential;
  for (std::size_t i = 0; i < moved.size(); i += 2) moved[i] += 0.02;
  const auto other = bands_at(hamiltonian, field, moved, {0, 0, 0}, 18);
  EXPECT_GT(std::abs(other[15] - bands[15]), 1e-4) << "a damaged potential has other bands";

  const GroundState again = find_ground_state(system, hamiltonian, field, world, {}, [&] {
    GroundState copy;
    copy.density = state.density;
    copy.orbitals = Orbitals(system.grid.size(), state.orbitals.first_k(), state.orbitals.k_count(),
                             state.orbitals.bands());
    copy.orbitals.copy_from(state.orbitals);
    return copy;
  }());
  EXPECT_LE(again.iterations, 5) << "a restart continues";
  EXPECT_NEAR(again.energy, state.energy, 1e-7);
}

TEST(CommonQuantum, SumsAreTheSameInAnyOrder) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e-3 / (1.0 + 0.37 * double(i));
  const auto sums = [&values](bool round) {
    double forward = 0.0, backward = 0.0;
    for (const double one : values) forward += round ? rounded(one, density_bound) : one;
    for (std::size_t i = values.size(); i > 0; --i)
      backward += round ? rounded(values[i - 1], density_bound) : values[i - 1];
    return std::pair(forward, backward);
  };
  EXPECT_EQ(sums(true).first, sums(true).second);
  EXPECT_NE(sums(false).first, sums(false).second);
  EXPECT_NEAR(sums(true).first, sums(false).first, 1e-13);
}

}  // namespace
}  // namespace hakaru::apps::electrons

HAKARU_MPI_TEST_MAIN()
