// Whether the work of the field explains what the energy of the electrons does, while they move:
//   dE/dt = volume j da/dt
// with the particle current j and the whole vector potential a that they feel, their own included.
// It holds in every geometry; without a field, and after an impulse, E itself is constant.
#pragma once

#include <limits>

#include "apps/electrons/cell_grid.hpp"

namespace hakaru::apps::electrons {

// One row of the history: of the first macroscopic point of a group of ranks.
struct Moment {
  double time = 0.0;  // a.u.
  double a = 0.0, electric = 0.0;
  Vector current{};
  double electrons = 0.0;
  double energy = 0.0, work = 0.0;  // hartree a cell; energy is not a number where it is not known
};

// What is computed and not finite, as the largest number there is: it exceeds every limit.
double finite_or_largest(double computed);

class EnergyWatch {
 public:
  EnergyWatch() = default;
  // Of a cell with so many electrons whose orbitals reach up to `highest` hartree.
  EnergyWatch(double electrons, double highest, double dt)
      : electrons_(electrons), highest_(highest), dt_(dt) {}

  // The moments of a run in their order.
  void add(const Moment& moment);

  // Where the balance was furthest from zero in units of its limit.
  struct Balance {
    double time = 0.0;         // a.u.
    double unexplained = 0.0;  // hartree
    double limit = std::numeric_limits<double>::infinity();
    double ratio() const { return unexplained / limit; }
  };
  const Balance& worst() const { return worst_; }
  int looks() const { return looks_; }  // energies that were compared with the first one
  bool holds() const { return worst_.ratio() <= 1.0; }

 private:
  double electrons_ = 0.0, highest_ = 0.0, dt_ = 0.0;
  Moment first_;
  double largest_a_ = 0.0, largest_work_ = 0.0, most_lost_ = 0.0;
  int looks_ = -1;
  Balance worst_;
};

}  // namespace hakaru::apps::electrons
