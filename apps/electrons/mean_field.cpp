#include "apps/electrons/mean_field.hpp"

#include <numbers>

#include "apps/electrons/ewald.hpp"
#include "apps/electrons/exchange_correlation.hpp"

namespace hakaru::apps::electrons {
namespace {

// sum_G exp(iGr) sum_atoms exp(-iGR) v(G) / volume
std::vector<double> ion_potential(const Crystal& crystal, const CellGrid& grid,
                                  const Fourier& fourier) {
  std::vector<Complex> values(grid.size());
  for_each_g(grid, [&](std::size_t at, const Vector& g) {
    const double g2 = dot(g, g);
    std::vector<double> local;
    for (const Pseudopotential& species : crystal.species) local.push_back(species.local(g2));
    values[at] = mean_over_edges(grid, g, [&](const Vector& turned) {
      Complex sum = 0.0;
      for (const Atom& atom : crystal.atoms)
        sum += local[atom.species] * std::polar(1.0, -dot(turned, atom.place));
      return sum / grid.volume();
    });
  });
  fourier.backward(values.data());
  std::vector<double> result(grid.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = values[i].real();
  return result;
}

}  // namespace

MeanField::MeanField(const Crystal& crystal, const CellGrid& grid)
    : grid_(grid),
      fourier_(grid.points),
      ions_(ion_potential(crystal, grid, fourier_)),
      coulomb_(grid.size()),
      work_(grid.size()),
      ewald_(ewald_energy(crystal)) {
  for_each_g(grid, [&](std::size_t at, const Vector& g) {
    const double g2 = dot(g, g);
    coulomb_[at] = g2 > 0.0 ? 4.0 * std::numbers::pi / (g2 * double(grid.size())) : 0.0;
  });
}

FieldEnergies MeanField::potential(const std::vector<double>& density,
                                   std::vector<double>& potential) {
  const std::size_t size = grid_.size();
  for (std::size_t i = 0; i < size; ++i) work_[i] = density[i];
  fourier_.forward(work_.data());
  for (std::size_t i = 0; i < size; ++i) work_[i] *= coulomb_[i];
  fourier_.backward(work_.data());
  FieldEnergies energies;
  potential.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double n = density[i], hartree = work_[i].real();
    const ExchangeCorrelation xc = exchange_correlation(n);
    potential[i] = ions_[i] + hartree + xc.potential;
    energies.hartree += 0.5 * hartree * n;
    energies.exchange_correlation += xc.energy * n;
    energies.potential += (hartree + xc.potential) * n;
  }
  const double dv = grid_.cell_volume();
  energies.hartree *= dv, energies.exchange_correlation *= dv, energies.potential *= dv;
  return energies;
}

}  // namespace hakaru::apps::electrons
