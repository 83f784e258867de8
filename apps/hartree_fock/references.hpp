// Energies of other programs.
#pragma once

#include <string>
#include <vector>

#include "apps/hartree_fock/molecule.hpp"

namespace hakaru::apps::hartree_fock {

// hartree; the virial ratio is -V / T.
struct Reference {
  std::string name, basis;
  Molecule molecule;
  double energy, nuclear, virial, highest_occupied, lowest_empty;
};

// PySCF 2.14 (libcint), converged to 1e-13 hartree: the built-in molecules, benzene at four
// geometries, and molecules with the other elements.
const std::vector<Reference>& references();
// That of the same atoms and basis, or nullptr.
const Reference* reference_of(const Molecule& molecule, const std::string& basis);

}  // namespace hakaru::apps::hartree_fock
