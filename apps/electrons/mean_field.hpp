// What electrons feel of ions and of each other without the non-local part: V_ion + V_H + V_xc on
// the grid, and the energies that belong to it.
#pragma once

#include <vector>

#include "apps/electrons/crystal.hpp"
#include "apps/electrons/fourier.hpp"

namespace hakaru::apps::electrons {

// Hartree, of the whole cell.
struct FieldEnergies {
  double hartree = 0.0;
  double exchange_correlation = 0.0;
  double potential = 0.0;  // integral of (V_H + V_xc) n, counted twice by the orbitals
};

class MeanField {
 public:
  MeanField(const Crystal& crystal, const CellGrid& grid);

  const CellGrid& grid() const { return grid_; }
  const Fourier& fourier() const { return fourier_; }
  // Local potential of all ions; the mean value of the Coulomb part is left out, as in V_H.
  const std::vector<double>& ions() const { return ions_; }
  double ewald() const { return ewald_; }

  // potential = V_ion + V_H[density] + V_xc[density]. V_H(G) = 4 pi n(G) / G^2, V_H(0) = 0.
  FieldEnergies potential(const std::vector<double>& density, std::vector<double>& potential);

 private:
  CellGrid grid_;
  Fourier fourier_;
  std::vector<double> ions_, coulomb_;  // coulomb_: 4 pi / (G^2 N)
  std::vector<Complex> work_;
  double ewald_;
};

}  // namespace hakaru::apps::electrons
