// The last transforms of the nonlinear term, its projection, and a stage of the time integration,
// in one pass over the spectrum.
#pragma once

#include <array>
#include <vector>

#include "apps/turbulence/forcing.hpp"
#include "apps/turbulence/nonlinear.hpp"

namespace hakaru::apps::turbulence {

// Stages of the classical Runge-Kutta method with the viscous term as an exact factor E = exp(-nu
// k^2 dt / 2); G is the rate.
//   first:  next = E (base + dt/2 G),   sum  = E^2 (base + dt/6 G)
//   second: next = E base + dt/2 G,     sum += dt/3 E G
//   third:  next = E^2 base + dt E G,   sum += dt/3 E G
//   fourth: next = sum + dt/6 G,        and the forced modes made solenoidal
//   rate:   next = G
enum class Stage { first, second, third, fourth, rate };

// Sums over all modes with the weight 2 for kz > 0 (each stands for its conjugate partner too).
struct Sums {
  double energy = 0.0;     // |U|^2 / 2
  double enstrophy = 0.0;  // k^2 |U|^2 / 2
  double transfer =
      0.0;  // Re conj(U) G without forcing: zero, for the nonlinear term only moves energy
  double rate_squared = 0.0;  // |G|^2 without forcing
  double band = 0.0;          // |U|^2 / 2 for 0 < |k| < 2.5
};

class Update {
 public:
  // `nu`: viscosity; `dt`: time step. Both objects must outlive this.
  Update(Workspace& workspace, const Nonlinear& nonlinear, double nu, double dt);

  // Uses what Nonlinear::evaluate left behind. `forcing` may be null; otherwise it remembers the
  // state that was evaluated. `next`, `base` and `sum` may be the same states where the formula
  // allows it.
  void apply(Stage stage, const State& base, State& next, State& sum, const Forcing* forcing,
             double coefficient);

  // The sums of the last stages, over all ranks: energy, enstrophy and band of the last `next` that
  // was measured, transfer and rate_squared of the last first or rate stage. Every rank adds the
  // planes in the same order, so that the result does not depend on the distribution. Collective.
  Sums reduce();

  // Prepares energy, enstrophy and, with forcing, the band of a state for reduce().
  void measure(const State& state, const Forcing* forcing);

 private:
  struct BlockSums {
    double energy, enstrophy, transfer, rate_squared;
  };
  void project_row(const Block& block, int iky, Scratch& scratch) const;
  template <Stage stage>
  void apply_stage(const State& base, State& next, State& sum, const Forcing* forcing,
                   double coefficient);
  template <Stage stage>
  void advance_row(const Block& block, int iky, const Complex* base, Complex* next, Complex* sum,
                   const Scratch& scratch) const;

  Workspace& workspace_;
  const Nonlinear& nonlinear_;
  double dt_;
  base::AlignedArray<double> decay_;  // [2 n]: exp(-nu k^2 dt / 2) of one direction, twice each
  std::vector<BlockSums> block_sums_;
  std::vector<double> band_;  // of each local plane
};

}  // namespace hakaru::apps::turbulence
