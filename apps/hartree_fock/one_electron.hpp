// Overlap, kinetic energy and attraction by the nuclei, between all pairs of functions.
#pragma once

#include <vector>

#include "apps/hartree_fock/pairs.hpp"

namespace hakaru::apps::hartree_fock {

// functions x functions, symmetric; hartree.
struct OneElectron {
  std::vector<double> overlap, kinetic, attraction;
};

// Of the pairs that are `part` of `parts`; all others are zero. Threads share the pairs.
//   overlap    sum of E_0 (pi / p)^(3/2)
//   kinetic    b (2 l + 3) <f|g> - 2 b^2 <f|r_B^2 g> for g of exponent b and degree l about B
//   attraction -sum over nuclei and t of Z E_t 2 pi / p R_t(p, P - R)
OneElectron one_electron(const Basis& basis, const Molecule& molecule,
                         const std::vector<PairList>& lists, int part, int parts);

// Pairs of functions and of primitive pairs with nuclei: what the two parts cost.
double overlap_flops(const std::vector<PairList>& lists);
double attraction_flops(const std::vector<PairList>& lists, std::size_t atoms);

}  // namespace hakaru::apps::hartree_fock
