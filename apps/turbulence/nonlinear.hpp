// The nonlinear term u x w on two grids shifted against each other (Patterson and Orszag 1971), as
// far as its transforms.
#pragma once

#include <vector>

#include "apps/turbulence/workspace.hpp"

namespace hakaru::apps::turbulence {

// exp(i (pi/n) k) by index, twice each so that a Pair holds one factor a value; and k, k^2
// likewise.
struct Wavetables {
  explicit Wavetables(const Grid& grid);
  base::AlignedArray<double> k, k_squared;  // [2 n]: value of ikx at 2 ikx and 2 ikx + 1
  base::AlignedArray<Complex> shift;        // [n]
};

class Nonlinear {
 public:
  // `workspace` must outlive this.
  explicit Nonlinear(Workspace& workspace) : workspace_(workspace), tables_(workspace.grid()) {}

  // Leaves the transforms along x and z of u x w in the spectral-side slots 0..2 (grid x_j)
  // and 3..5 (grid x_j + pi/n in every direction), with the factor 2 n^3 of the unnormalised
  // transforms. Along y they remain to be done. Collective.
  void evaluate(const State& velocity);

  // One row per plane of constant y of this rank, each of `moments_per_plane` sums over the plane's
  // points: (du/dx)^2, (du/dx)^3, (dv/dy)^2, (dv/dy)^3, (dw/dz)^2, (dw/dz)^3 and the maximum of |u|
  // + |v| + |w|. Collective.
  static constexpr int moments_per_plane = 7;
  std::vector<double> moments(const State& velocity);

  const Wavetables& tables() const { return tables_; }

 private:
  void lines_to_slots(const State& velocity, bool shifted, bool derivatives, int first);
  void multiply(int first);

  Workspace& workspace_;
  Wavetables tables_;
};

}  // namespace hakaru::apps::turbulence
