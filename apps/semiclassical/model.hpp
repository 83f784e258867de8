// A molecule as the trajectories see it: H = p^T G p / 2 + V(q), without units. G is constant.
#pragma once

#include <vector>

namespace hakaru::apps::semiclassical {

// henon_heiles  V = sum q_k^2 / 2 + c sum_{k<N} (q_k^2 q_{k+1} - q_{k+1}^3 / 3), G = 1
// morse         N bonds of a line of N + 1 atoms of mass 1, stretched by x_k:
//               V = sum D (1 - exp(-a x_k))^2 + sum_{k<N} c (x_{k+1} - x_k)^4 / 4,
//               G_kk = 2, G_{k,k+1} = -1 (Wilson, Decius and Cross, Molecular Vibrations, 1955)
// lennard_jones V = sum over pairs 4 (r^-12 - r^-6), three coordinates an atom, G = 1
enum class Potential { henon_heiles, morse, lennard_jones };

struct Model {
  Potential potential = Potential::henon_heiles;
  int n = 1;              // degrees of freedom
  double coupling = 0.0;  // c
  double depth = 0.0;     // D
  double range = 0.0;     // a

  bool unit_kinetic() const { return potential != Potential::morse; }
  // G, row by row: n x n.
  std::vector<double> kinetic_matrix() const;
};

// V(q) and its gradient (n numbers; may be null), by plain loops: what the vectors are held
// against.
double energy_of(const Model& model, const double* q, double* gradient);

// Operations of V with first and second derivatives, once.
double force_flops(const Model& model);

}  // namespace hakaru::apps::semiclassical
