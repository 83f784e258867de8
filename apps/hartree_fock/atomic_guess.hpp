// A first density: that of the neutral atoms, each alone and round.
//
// J. Almlof, K. Faegri, K. Korsell, J. Comput. Chem. 3, 385 (1982), R. Van Lenthe et al., J.
// Comput. Chem. 27, 926 (2006). The lowest orbitals of the core Hamiltonian lead some molecules to
// states that are not their lowest, N2 in STO-3G for one.
#pragma once

#include "apps/hartree_fock/basis.hpp"
#include "apps/hartree_fock/dense.hpp"

namespace hakaru::apps::hartree_fock {

// functions x functions, zero between atoms. `basis` is normalised. Not collective.
Matrix atomic_density(const Molecule& molecule, const Basis& basis);

}  // namespace hakaru::apps::hartree_fock
