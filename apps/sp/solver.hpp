// The compressible flow equations with a manufactured steady solution, by the approximately
// factorised implicit scheme in diagonal form (Pulliam and Chaussee 1981).
#pragma once

#include "apps/sp/mover.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::sp {

// Indices of the described phases.
struct PhaseIndices {
  int reset, primitives, differences, solve, add, move, norm, barrier;
};

class Solver {
 public:
  // Collective.
  Solver(const Plan& plan, const parallel::Communicator& world, base::Phases& phases);

  // One repetition from the same state. Collective.
  void run();
  // Time of the iterations of the last run on this rank.
  double iterations_s() const { return iterations_s_; }

  // Root mean squares: of the distance from the exact solution after the last run, and of the right
  // hand side there, which is computed now. Collective.
  const State& error() const { return error_; }
  State residual();
  // The right-hand side of the exact solution, which the forcing makes zero.
  State residual_of_exact();
  // Root mean squares from now on have the same bits at every layout, in longer messages.
  void sum_exactly() { exact_sums_ = true; }
  // Spoils the state at one point of the runs that follow.
  void damage() { damaged_ = true; }

 private:
  friend class Runner;
  void fill_states(State (*function)(double, double, double));
  void differences(Axis axis, const double* base, double factor);
  void solve(Axis axis);
  State root_mean_square(const std::vector<parallel::ExactSum>& sums) const;
  void make_forcing();

  Plan plan_;
  const parallel::Communicator& world_;
  base::Phases& phases_;
  PhaseIndices indices_;
  Mover mover_;
  State error_{};
  double iterations_s_ = 0.0;
  bool damaged_ = false, exact_sums_ = false;
};

namespace phase {
inline constexpr const char *reset = "reset", *primitives = "primitives",
                            *differences = "differences", *solve = "solve", *add = "add",
                            *move = "move", *norm = "norm", *barrier = "barrier";
}  // namespace phase

}  // namespace hakaru::apps::sp
