// The electrons of one macroscopic point in time: fourth-order Taylor expansion of
// exp(-i h dt) with h at the middle of the step. Yabana, Bertsch, PRB 54 (1996) 4484; Bertsch et
// al., PRB 62 (2000) 7998.
//
// The mean field at the middle is extrapolated from the last three steps (corrections = 0), or is
// the mean of both ends, whose second one is predicted (corrections = 1, 2, ...). Each orbital
// stays in the cache for the whole step.
#pragma once

#include <vector>

#include "apps/electrons/ground_state.hpp"
#include "apps/electrons/timing.hpp"

namespace hakaru::apps::electrons {

struct PropagatorOptions {
  double dt = 0.04;
  int corrections = 1;
  bool frozen = false;  // the mean field stays that of the ground state: independent electrons
};

// Sums over all k-points of the group, known on every rank of it.
struct Observed {
  Vector current{};        // particle current density j, 1/bohr^2
  double electrons = 0.0;  // in the cell
  bool signalled = false;  // a rank was asked for a checkpoint
};

class Propagator {
 public:
  // `world` shares the k-points of `system`. All must outlive the propagator.
  Propagator(const System& system, const Hamiltonian& hamiltonian, MeanField& field,
             const parallel::Communicator& world, const PropagatorOptions& options,
             const Clock& clock = {});

  // From an orbital set: the ground state, or plane waves in its place. Collective.
  void begin(const Orbitals& from);
  void begin_waves();
  // What a restart needs beside the orbitals.
  struct Memory {
    std::vector<double> last[3];  // mean fields, the newest first
  };

  // From the vector potential `before` to `after`, both as vectors. Collective.
  Observed step(const Vector& before, const Vector& after, bool signalled = false);
  // At the present time, without a step. Collective.
  Observed observe(const Vector& a);
  // Total energy of the cell in hartree. Collective.
  double energy(const Vector& a);

  Orbitals& orbitals() { return orbitals_; }
  const Orbitals& orbitals() const { return orbitals_; }
  const std::vector<double>& density() const { return density_; }
  Memory& memory() { return memory_; }
  // Negative to go back in time.
  void set_time_step(double dt) { options_.dt = dt; }

 private:
  enum class Pass { predict, advance, observe };
  void start_mean_field();
  void set_bloch(const Vector& a);
  // One pass over all orbitals; density and current of its end into message_.
  void pass(Pass which, const double* potential, const Vector& a_end);
  void taylor(const Bloch& bloch, const double* potential, Complex* u, Complex* even, Complex* odd);
  void reduce(bool signalled);
  void update_mean_field(std::vector<double>& potential);
  Observed observed() const;

  const System& system_;
  const Hamiltonian& hamiltonian_;
  MeanField& field_;
  const parallel::Communicator& world_;
  PropagatorOptions options_;
  Clock clock_;
  Orbitals orbitals_;
  Memory memory_;
  std::vector<double> density_, middle_, predicted_;
  std::vector<Bloch> bloch_, bloch_end_;
  std::vector<double> message_;               // density, current (3), electrons, signalled
  std::vector<std::vector<double>> partial_;  // of each thread
};

}  // namespace hakaru::apps::electrons
