// Gauge fields of the Wilson action S = beta sum (1 - Re Tr U_plaquette / 3): pseudo heat bath in
// the three SU(2) subgroups (Cabibbo, Marinari, Phys. Lett. B 119, 387 (1982)) by the sampling of
// Kennedy and Pendleton (Phys. Lett. B 156, 393 (1985)), and over-relaxation in the same subgroups
// (Creutz, Phys. Rev. D 36, 515 (1987)).
#pragma once

#include <cstdint>

#include "apps/lattice_qcd/gauge_field.hpp"
#include "apps/lattice_qcd/wilson.hpp"

namespace hakaru::apps::lattice_qcd {

// Flops for a link: 6 staples of two products and their sum, the product with the link, and in each
// of 3 subgroups two rows of two matrices. Random numbers and square roots are not counted.
inline constexpr double link_update_flops = 6 * (2 * 198 + 18) + 198 + 3 * 2 * 84;
// B: the 18 links of 6 staples, the link, and the link written.
inline constexpr double link_update_bytes = (18 + 1 + 1) * 144;

// Sum over the six staples of link (x, axis): the action's part of the link is
// -beta/3 Re Tr(U A).
Matrix staples(const GaugeField& field, const Extents& x, int axis);

// A number by the density sqrt(1 - a^2) exp(alpha a) on [-1, 1]: Re Tr / 2 of an SU(2) matrix in a
// heat bath.
double sample_trace(double alpha, Random& random);

// One link, given its staples.
Matrix heat_bath_link(const Matrix& link, const Matrix& staples, double beta, const Random& random);
Matrix over_relaxed_link(const Matrix& link, const Matrix& staples);

struct Update {
  double beta;
  std::uint64_t seed;
  int over_relaxations;  // after each heat bath
};

// All links once by heat bath and as often as asked for by over-relaxation; each axis of each
// parity by itself, since such links do not meet. Collective.
void sweep(GaugeField& field, const Update& update, std::uint64_t number, const Timing& timing);
// All links once by over-relaxation. Collective.
void over_relax(GaugeField& field, const Timing& timing);

}  // namespace hakaru::apps::lattice_qcd
