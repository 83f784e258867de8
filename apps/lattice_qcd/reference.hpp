// The operator again, from its formula: gamma matrices multiplied out, one site after the other, on
// the whole lattice at once. Shares nothing with the kernel but the numbers of sites.
#pragma once

#include <functional>
#include <vector>

#include "apps/lattice_qcd/lattice.hpp"
#include "apps/lattice_qcd/spinors.hpp"
#include "apps/lattice_qcd/su3.hpp"

namespace hakaru::apps::lattice_qcd {

using Gamma = std::array<std::array<Complex, 4>, 4>;
// g_1 ... g_4 in the chiral basis of hopping.hpp, axis 0 ... 3; axis 4 is g_5, their product.
Gamma gamma(int axis);
Spinor multiply(const Gamma& gamma, const Spinor& spinor);
Spinor multiply(const Matrix& colour, const Spinor& spinor);
// a += factor b
void add(Spinor& a, Complex factor, const Spinor& b);
double largest_difference(const Spinor& a, const Spinor& b);

struct WholeLattice {
  Extents extents;
  std::vector<std::array<Matrix, axes>> links;  // by index_of(x, extents)

  // W in at x; `turned`: antiperiodic in time.
  Spinor apply(const std::vector<Spinor>& in, const Extents& x, double kappa, bool turned) const;
};

}  // namespace hakaru::apps::lattice_qcd
