// Lowest eigenstates of one Bloch vector by locally optimal block preconditioned conjugate
// gradients: Knyazev, SIAM J. Sci. Comput. 23 (2001) 517. The preconditioner is that of Teter,
// Payne and Allan, PRB 40 (1989) 12255.
#pragma once

#include <vector>

#include "apps/electrons/dense.hpp"
#include "apps/electrons/fourier.hpp"
#include "apps/electrons/hamiltonian.hpp"

namespace hakaru::apps::electrons {

struct Eigenstates {
  Block vectors;               // dv sum |u|^2 = 1
  std::vector<double> values;  // hartree, ascending
  double residual = 0.0;       // largest |h u - e u| of the wanted states
};

// Smooth vectors to start from, the same in every run: plane waves of low energy with some of the
// others. `number` tells k-points apart.
Block starting_vectors(const CellGrid& grid, const Vector& wave_vector, int count, int number);

class Eigensolver {
 public:
  Eigensolver(const Hamiltonian& hamiltonian, const Fourier& fourier)
      : hamiltonian_(hamiltonian), fourier_(fourier) {}

  // At most `steps` iterations, fewer when the residual of the lowest `wanted` states is below
  // `tolerance`. `states.vectors` are improved in place.
  void improve(const Vector& wave_vector, const double* potential, int wanted, int steps,
               double tolerance, Eigenstates& states) const;

 private:
  const Hamiltonian& hamiltonian_;
  const Fourier& fourier_;
};

}  // namespace hakaru::apps::electrons
