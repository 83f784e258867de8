// Linear response computed in two ways: checks of series in time, whoever made them.
#pragma once

#include <complex>
#include <vector>

#include "native/base/checks.hpp"

namespace hakaru::apps::electrons {

// The current at n dt after a(t) = impulse for t >= 0.
struct ImpulseRun {
  double dt, impulse;  // a.u.
  std::vector<double> currents;
};

// Response at the complex frequency w + i damping, hartree: int_0^T j(t) exp(i (w + i damping) t)
// dt by the trapezoidal rule. eps and 1/eps are analytic above the real axis, so that what holds of
// them on it holds there, and a finite T leaves an error of exp(-damping T).
using Spectrum = std::vector<std::complex<double>>;
// eps of independent applied fields (transverse), at these frequencies.
Spectrum dielectric_at(const ImpulseRun& run, const Spectrum& frequencies);
// 1/eps where the electrons feel their own field too (longitudinal).
Spectrum inverse_dielectric_at(const ImpulseRun& run, const Spectrum& frequencies);

// The loss function Im(-1/eps) of both geometries, and its peak: the plasmon, where eps vanishes.
void compare_plasmon(const ImpulseRun& transverse, const ImpulseRun& longitudinal,
                     double electron_density, base::Checks& checks);

// The vector potential at one cell before a film, and what it would be without the film.
struct FilmRun {
  double dt, thickness, distance;  // bohr; from the cell to the film's surface
  std::vector<double> whole, incoming;
};

// Reflection of light that falls on a slab of this thickness in vacuum (Born, Wolf, Principles of
// Optics, 1.6.4): r (1 - p) / (1 - r^2 p), r = (1 - n)/(1 + n), p = exp(2 i n w thickness / c).
std::complex<double> slab_reflection(std::complex<double> dielectric,
                                     std::complex<double> frequency, double thickness);
void compare_reflection(const ImpulseRun& transverse, const FilmRun& film, base::Checks& checks);

}  // namespace hakaru::apps::electrons
