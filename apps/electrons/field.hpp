// The applied field as a vector potential a = A / c, E = -da/dt, along one axis.
#pragma once

namespace hakaru::apps::electrons {

inline constexpr double light_speed = 137.035999;     // atomic units
inline constexpr double intensity_unit = 3.50945e16;  // W/cm^2 of a field of 1 a.u.
inline constexpr double time_unit_fs = 0.02418884;    // an atomic unit of time
inline constexpr double hartree_ev = 27.211386;

struct Field {
  enum class Kind { none, impulse, pulse };
  Kind kind = Kind::none;
  int direction = 2;
  double impulse = 0.005;  // a after t = 0
  double amplitude = 0.0;  // of the electric field of the pulse, a.u.
  double frequency = 0.0;  // hartree
  double duration = 0.0;   // of the whole pulse, a.u.

  // impulse: a0 for t > 0, and at t = 0. pulse: -(E0 / w) sin^2(pi t / T) cos(w (t - T / 2)).
  double vector_potential(double time) const;
};

// Amplitude of the electric field of a plane wave, a.u., from its peak intensity in W/cm^2.
double amplitude_of_intensity(double intensity);

}  // namespace hakaru::apps::electrons
