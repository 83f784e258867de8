// Bloch vectors of a Monkhorst-Pack mesh (PRB 13 (1976) 5188).
#pragma once

#include <vector>

#include "apps/electrons/symmetry.hpp"

namespace hakaru::apps::electrons {

struct KPoint {
  Vector k{};           // 1/bohr
  double weight = 0.0;  // the weights add up to 1
};

// k_d = (2 i - n_d - 1) / (2 n_d) of the reciprocal length, i = 1..n_d. Even meshes leave out
// Gamma; 2 x 2 x 2 are the special points (+-1/4, +-1/4, +-1/4). Points that `operations` map on
// each other are taken once. A field breaks the symmetry k -> -k, which is not used.
std::vector<KPoint> monkhorst_pack(const Shape& mesh, const Crystal& crystal,
                                   const std::vector<Operation>& operations);

}  // namespace hakaru::apps::electrons
