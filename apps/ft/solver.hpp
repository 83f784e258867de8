// Diffusion by spectral transforms: du/dt = alpha laplacian u, from random numbers.
#pragma once

#include <array>
#include <vector>

#include "apps/ft/mover.hpp"
#include "apps/ft/transform.hpp"
#include "native/base/phases.hpp"

namespace hakaru::apps::ft {

// Indices of the described phases.
struct PhaseIndices {
  int set_up, transform, evolve, transposition, checksum, barrier;
};

class Solver {
 public:
  // Collective. equal: runs have the same bits at every layout, by equal transforms and exact sums
  // in longer messages, in a process that has not planned otherwise before.
  Solver(const Plan& plan, const parallel::Communicator& world,
         Planning planning = Planning::timed);

  // One repetition from the same state. Collective.
  void run(base::Phases& phases, const PhaseIndices& indices);

  // Of the last run, by iteration.
  const std::vector<Complex>& checksums() const { return checksums_; }
  // The field after the last iteration, divided by the number of points: the largest distance from
  // `exact` over own points. `exact` takes x, y, z.
  template <typename Exact>
  double distance(const Exact& exact) {
    const Slab slab = slab_of(plan_, final_);
    const int rank = world_.rank();
    const Complex* values = mover_.array(final_);
    double worst = 0.0;
    for (std::int64_t z = 0; z < slab.count(rank, along_z); ++z)
      for (std::int64_t y = 0; y < slab.count(rank, along_y); ++y)
        for (std::int64_t x = 0; x < slab.count(rank, along_x); ++x) {
          const Complex value =
              values[x + y * slab.step(rank, along_y) + z * slab.step(rank, along_z)] /
              plan_.grid.points();
          worst = std::max(worst, std::abs(value - exact(x + slab.range(rank, along_x).first,
                                                         y + slab.range(rank, along_y).first,
                                                         z + slab.range(rank, along_z).first)));
        }
    return worst;
  }
  // Spoils the initial values of the runs that follow.
  void damage() { damaged_ = true; }

 private:
  friend class Runner;
  void fill(Array array);
  void evolve(std::int64_t t);
  Complex checksum(Array array);

  Plan plan_;
  const parallel::Communicator& world_;
  Mover mover_;
  Transforms transforms_;
  std::array<std::vector<double>, 3> exponents_;  // -4 pi^2 alpha k^2 by axis
  std::vector<Complex> checksums_;
  Array final_ = Array::home;
  bool damaged_ = false, exact_sums_;
};

}  // namespace hakaru::apps::ft
