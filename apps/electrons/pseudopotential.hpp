// Norm-conserving pseudopotentials in closed form.
//
// GTH/HGH: Goedecker, Teter, Hutter, PRB 54 (1996) 1703; Hartwigsen, Goedecker, Hutter, PRB 58
// (1998) 3641, parameters for the local density approximation. AH: Appelbaum, Hamann, PRB 8 (1973)
// 1777, a soft local potential of silicon.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace hakaru::apps::electrons {

// Separable projectors of one angular momentum: sum_ij |p_i> h_ij <p_j|, for each m.
struct Channel {
  int l = 0;
  double radius = 0.0;                              // bohr
  int count = 0;                                    // radial functions, at most 2
  std::array<std::array<double, 2>, 2> coupling{};  // hartree
};

struct Pseudopotential {
  enum class Kind { gth, appelbaum_hamann };
  std::string name;
  Kind kind = Kind::gth;
  double valence = 0.0;  // electrons
  // GTH: radius (bohr), C1, C2. AH: alpha (1/bohr^2), v1, v2.
  double local_width = 0.0, local_first = 0.0, local_second = 0.0;
  std::vector<Channel> channels;

  // Fourier transform of the local potential, times the cell's volume; at G = 0 what is left
  // without the Coulomb divergence.
  double local(double g_squared) const;
  // Largest radius of a projector; 0 without projectors.
  double widest() const;
};

// Fourier transform of the radial function i (0, 1) of the channel, for plane waves normalised to
// the volume 1, without (-i)^l Y_lm.
double projector_of_g(const Channel& channel, int i, double g);
// The radial function itself, without Y_lm.
double projector_of_r(const Channel& channel, int i, double r);
// Real spherical harmonic of (l, m) times |v|^l, m in 0..2l; l at most 1.
double harmonic(int l, int m, double x, double y, double z);

Pseudopotential gth_silicon();
Pseudopotential gth_oxygen();
Pseudopotential gth_carbon();
Pseudopotential appelbaum_hamann_silicon();

}  // namespace hakaru::apps::electrons
