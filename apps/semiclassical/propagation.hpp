// Trajectories in steps of the fourth-order symplectic integrator of Gray, Noid and Sumpter
// (J. Chem. Phys. 101, 4062 (1994)), with their action and stability matrix (Brewer, Hulme and
// Manolopoulos, J. Chem. Phys. 106, 4832 (1997), appendix): with s = 3^(-1/2)
//   a = (1 - s) / 2, s, -s, (1 + s) / 2   of the drifts q += a dt G p
//   b = 0, (1/2 + s) / 2, 1/2, (1/2 - s) / 2   of the kicks p += b dt F(q), each before its drift
#pragma once

#include <array>
#include <vector>

#include "apps/semiclassical/kernels.hpp"
#include "apps/semiclassical/phases.hpp"
#include "apps/semiclassical/settings.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::semiclassical {

// Three stages, since the first kick is zero.
std::array<Stage, 3> stages_of(double dt);

// Threads that compute the same trajectories; every one of them calls what takes a Team.
struct Team {
  int thread = 0, threads = 1;
  void wait() const;
};

// Batches that are propagated together, so that entering a phase costs little beside it.
class Block {
 public:
  // Batches of one block for trajectories of so many degrees of freedom.
  static int batches_of(const Shape& shape);

  Block(const Settings& settings, int batches);

  const Shape& shape() const { return shape_; }
  int batches() const { return batches_; }
  int lanes() const { return shape_.lanes; }
  Batch batch(int i) const {
    return {shape_, memory_ + static_cast<std::size_t>(i) * shape_.size()};
  }
  const double* kinetic_matrix() const { return g_.empty() ? nullptr : g_.data(); }

  // M = 1, S = 0.
  void reset(int used);
  // The batches that are used.
  int used() const { return used_; }

  void step(const Team& team, const Clock& clock);
  // V, T and their derivatives at the time that is reached.
  void measure();

 private:
  const Settings& settings_;
  Shape shape_;
  int batches_, used_ = 0;
  std::array<Stage, 3> stages_;
  std::vector<double> g_;
  base::AlignedArray<double> storage_;
  double* memory_;
};

// One trajectory by itself: what verifications look at.
struct Trajectory {
  std::vector<double> q, p;
  double action = 0.0, energy = 0.0, most_energy_change = 0.0;
  // n x n each, row by row: M_qq, M_qp, M_pq, M_pp.
  std::vector<double> qq, qp, pq, pp;
};
Trajectory trajectory(const Settings& settings, const std::vector<double>& q,
                      const std::vector<double>& p);
// Largest element of M^T J M - J.
double symplectic_defect(const Trajectory& t);
// det M - 1, by elimination with row exchanges.
double determinant_defect(const Trajectory& t);

}  // namespace hakaru::apps::semiclassical
