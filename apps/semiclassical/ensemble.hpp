// All trajectories of all ranks, in parts, and what they give.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "apps/semiclassical/correlation.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::semiclassical {

// Sums over all ranks so far: exact, so that neither layout nor interruptions change a bit.
struct Sums {
  std::int64_t done = 0;                     // trajectories
  std::vector<parallel::ExactImage> images;  // [output][quantity]
  double worst_branch = 0.0, worst_energy = 0.0;

  explicit Sums(const Settings& settings)
      : images(static_cast<std::size_t>(quantities * settings.outputs())) {}
  std::complex<double> correlation(std::int64_t output) const;
  // Standard deviation of |correlation|, from the scatter of the trajectories.
  double deviation(std::int64_t output) const;
  double lost(std::int64_t output) const { return value(output, 3); }

 private:
  double value(std::int64_t output, int quantity) const;
};

// <0| exp(-iHt/hbar) |0> where it is known in closed form (uncoupled oscillators, width hbar = 1):
// exp(-i N t / 2 - z (1 - exp(-i t))), z = sum (width dq^2 + dp^2 / (width hbar^2)) / 2.
bool is_harmonic(const Settings& settings);
std::complex<double> harmonic_correlation(const Settings& settings, double time);

class Ensemble {
 public:
  using Watch = std::function<void(const Sums&)>;

  Ensemble(const Settings& settings, const parallel::Communicator& world, base::Phases& phases)
      : settings_(settings), world_(world), phases_(phases), clock_(phases) {}

  // From `begin` on, to all trajectories; a checkpoint after each part where one is asked for.
  // Collective.
  Sums run(const Sums& begin, const Watch& watch = {});

 private:
  Tally compute(std::int64_t first, std::int64_t count);
  Tally over(std::int64_t first, std::int64_t count);
  Tally inside(std::int64_t first, std::int64_t count);
  void add(const Tally& tally, std::int64_t count, Sums& sums);

  const Settings& settings_;
  const parallel::Communicator& world_;
  base::Phases& phases_;
  Clock clock_;
};

}  // namespace hakaru::apps::semiclassical
