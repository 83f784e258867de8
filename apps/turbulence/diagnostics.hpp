// Energy spectrum and the numbers that describe a turbulent flow.
#pragma once

#include <vector>

#include "apps/turbulence/solver.hpp"

namespace hakaru::apps::turbulence {

// Sums over shells k - 1/2 <= |k'| < k + 1/2.
struct Spectrum {
  std::vector<double> shell_energy;  // E(k), k = 0, 1, ...
  double energy() const;
  double enstrophy = 0.0;  // sum k'^2 |U|^2 / 2 over modes, not shells
};

// The same bits at every distribution. Collective.
Spectrum spectrum_of(const Grid& grid, const State& velocity,
                     const parallel::Communicator& communicator);

struct Diagnostics {
  double energy, enstrophy;
  double dissipation;        // eps = 2 nu enstrophy
  double velocity_rms;       // u' = sqrt(2 E / 3)
  double taylor_microscale;  // lambda = sqrt(15 nu u'^2 / eps) = sqrt(5 E / enstrophy)
  double reynolds_lambda;    // u' lambda / nu
  double integral_scale;     // L = pi / (2 u'^2) sum E(k) / k
  double turnover_time;      // L / u'
  double kolmogorov_scale;   // eta = (nu^3 / eps)^(1/4)
  double resolution;         // largest k times eta
  double skewness;           // of the longitudinal derivatives, mean of three directions
  double courant;            // dt max(|u| + |v| + |w|) k_max; RK4 is stable below 2.8
};

// Collective. Uses the transposition buffers of the solver.
Diagnostics diagnose(Solver& solver, const State& velocity, const Spectrum& spectrum);

// Throws UserError(verification) when a mode of this rank is not finite, or its |k . U| exceeds
// `largest_divergence` of the square root of sum k^2 |U|^2 = 2 `enstrophy`: a wrong run ends early.
// Not collective; `step` is for the message.
inline constexpr double largest_divergence = 1e-12;
void require_sound(const Grid& grid, const State& velocity, double enstrophy, std::int64_t step);

// Largest |k . U| over all modes, relative to the largest |k| |U|: zero but for rounding. NaN when
// a mode is not finite. Collective.
double divergence(const Grid& grid, const State& velocity,
                  const parallel::Communicator& communicator);

}  // namespace hakaru::apps::turbulence
