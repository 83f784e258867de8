#include "apps/electrons/energy_watch.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::electrons {

namespace {
constexpr double largest = std::numeric_limits<double>::max();
}

double finite_or_largest(double computed) { return std::isfinite(computed) ? computed : largest; }

// Limit, hartree:
//   1e-6: what is left of the ground state's residual and of rounding;
//   of second order in dt, the midpoint rule's and the trapezoidal work's: relative to the energy
//   that the field can lend, N a^2 / 2, and to its work;
//   what electrons carry that the Taylor series has lost.
void EnergyWatch::add(const Moment& moment) {
  largest_a_ = std::max(largest_a_, std::abs(moment.a));
  largest_work_ = std::max(largest_work_, std::abs(moment.work));
  most_lost_ = std::max(most_lost_, std::abs(moment.electrons - electrons_));
  if (std::isnan(moment.energy)) return;
  if (++looks_ == 0) {
    first_ = moment;
    return;
  }
  Balance now;
  now.time = moment.time;
  now.limit = 1e-6 + highest_ * most_lost_ +
              1e-2 * dt_ * dt_ * (largest_work_ + 0.5 * electrons_ * largest_a_ * largest_a_);
  const bool finite = moment.energy < largest && first_.energy < largest;
  now.unexplained =
      finite
          ? finite_or_largest(std::abs(moment.energy - first_.energy - (moment.work - first_.work)))
          : largest;
  if (now.ratio() > worst_.ratio() || looks_ == 1) worst_ = now;
}

}  // namespace hakaru::apps::electrons
