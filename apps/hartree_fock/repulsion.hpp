// Electron repulsion integrals (ab|cd), hartree, of contracted shells.
#pragma once

#include "apps/hartree_fock/pairs.hpp"

namespace hakaru::apps::hartree_fock {

// All integrals of the pair at `position` of `bra` with the pairs of a batch of `ket`: out has for
// each lane the products of the bra, and for each of these those of the ket:
// out[(lane * products(bra) + ab) * products(ket) + cd]; room for lanes * most_of_batch numbers.
// Lanes of a last batch that stand for no pair are zero.
//   (ab|cd) = sum over primitive pairs and Hermite Gaussians of
//             E_ab,t E_cd,t' (-1)^|t'| R_{t+t'}(alpha, P - Q) / sqrt(p + q), alpha = p q / (p + q)
void repulsion(const PairList& bra, int position, const PairList& ket, int batch, double* out);

inline constexpr int most_of_quartet = 256;

// Operations for a quartet of shells with one primitive pair on each side, and for its part that is
// done once for each primitive pair of the bra.
double flops_of_primitives(int bra_type, int ket_type);
double flops_of_bra(int bra_type, int ket_type);

// sqrt of the largest (ab|ab) of each pair of the list: |(ab|cd)| <= bound(ab) bound(cd) (Schwarz).
std::vector<double> schwarz_bounds(const PairList& list);

}  // namespace hakaru::apps::hartree_fock
