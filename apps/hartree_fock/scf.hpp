// The self-consistent field: from Fock matrices to densities, on one rank.
//
// C. Roothaan, Rev. Mod. Phys. 23, 69 (1951): F C = S C e, solved as (X F X) (X^-1 C) = ... with
// X = S^(-1/2); the density P = 2 C C^T has the orbitals of lowest energy, C n C^T where they hold
// n electrons each. DIIS: P. Pulay, J. Comput. Chem. 3, 556 (1982): the Fock matrix whose error X
// (F P S - S P F) X is least among sums of the last ones with weights that sum to one.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "apps/hartree_fock/dense.hpp"

namespace hakaru::apps::hartree_fock {

enum class Mixing { plain, damped, diis };

// What all ranks know after an iteration.
struct Step {
  double energy = 0.0;    // electronic, of the density before, hartree
  double change = 0.0;    // largest change of an element of the density, before damping
  double residual = 0.0;  // largest element of the DIIS error
  double failed = 0.0;    // 1 when an eigenproblem has no solution or a number is not finite
};
inline constexpr int numbers_of_step = 4;

class Scf {
 public:
  // S and the one-electron Hamiltonian; electrons of the orbitals by energy, none in those that are
  // not given. `damping` is the share of the old density.
  Scf(int n, Matrix overlap, Matrix core, std::vector<double> occupations, Mixing mixing,
      double damping);

  // False when S has an eigenvalue below 1e-7: functions that depend on each other.
  bool sound() const { return sound_; }

  // The density of the one-electron Hamiltonian.
  Step begin();
  void restart(Matrix density) { density_ = std::move(density); }
  // From the two-electron part that belongs to density().
  Step advance(const Matrix& two_electron);

  const Matrix& density() const { return density_; }
  // Of the last diagonalisation: energies, hartree, and orbitals, one a row.
  const std::vector<double>& orbital_energies() const { return energies_; }
  const Matrix& orbitals() const { return orbitals_; }

 private:
  bool diagonalise(const Matrix& fock, Matrix& density);
  Matrix error_of(const Matrix& fock) const;
  Matrix extrapolated(const Matrix& fock, const Matrix& error);

  int n_;
  std::vector<double> occupations_;
  Mixing mixing_;
  double damping_;
  bool sound_ = true;
  Matrix overlap_, core_, root_, density_, orbitals_;
  std::vector<double> energies_;
  struct Past {
    Matrix fock, error;
  };
  std::deque<Past> past_;
};

// Operations of one iteration: matrix products and the eigenproblem.
double scf_flops(int n, Mixing mixing);

}  // namespace hakaru::apps::hartree_fock
