// The self-consistent ground state.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/electrons/eigensolver.hpp"
#include "apps/electrons/k_points.hpp"
#include "apps/electrons/mean_field.hpp"
#include "apps/electrons/mixing.hpp"
#include "apps/electrons/orbitals.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::electrons {

// The crystal on its grid with its Bloch vectors: what a calculation is about.
struct System {
  Crystal crystal;
  CellGrid grid;
  Shape mesh{1, 1, 1};
  int axis = -1;                      // of the field about which it is symmetric; -1: not used
  std::vector<Operation> operations;  // the identity first
  std::vector<KPoint> k_points;
  double reach = 5.0;  // radius of the projectors' spheres in widest radii
};

// `direction` is the axis of the field whose symmetries are used; -1 uses none.
System make_system(const Crystal& crystal, const Shape& points, const Shape& mesh, int direction,
                   double reach);

struct GroundStateOptions {
  int extra_bands = 4;
  int most_iterations = 80;
  double energy_tolerance = 1e-8;    // hartree, between iterations
  double density_tolerance = 1e-7;   // electrons: integral of |output - input|
  double residual_tolerance = 1e-6;  // hartree, of occupied states
};

struct GroundState {
  Orbitals orbitals;  // occupied ones of this process's k-points
  std::vector<double> density, potential;
  std::vector<std::vector<double>> eigenvalues;  // [local k][occupied + extra]
  double energy = 0.0;                           // hartree a cell
  double residual = 0.0;                         // hartree
  double density_change = 0.0;                   // electrons, of the last iteration
  int iterations = 0;
  bool converged = false;
  // Of a search that is not over: all states of this process's k-points, and the mixing's past.
  // With the density they are all that the next iteration depends on.
  std::vector<Eigenstates> states;
  Mixing mixing;

  // Highest occupied and lowest empty eigenvalue over all k-points. Collective.
  std::pair<double, double> edges(int occupied, const parallel::Communicator& world) const;
};

// Told after each iteration.
using Watch = std::function<void(const GroundState&)>;

// Collective over `world`, which shares the k-points. `from` is improved when it has orbitals, and
// continued with the same bits when it has the states of a search.
GroundState find_ground_state(const System& system, const Hamiltonian& hamiltonian,
                              MeanField& field, const parallel::Communicator& world,
                              const GroundStateOptions& options, GroundState from = {},
                              const Watch& watch = {});

// Eigenvalues at a Bloch vector in the potential of a ground state.
std::vector<double> bands_at(const Hamiltonian& hamiltonian, const MeanField& field,
                             const std::vector<double>& potential, const Vector& k, int count);

// Density of these orbitals alone: sum over k and bands of 2 w |u|^2, by threads in a fixed order.
std::vector<double> own_density(const System& system, const Orbitals& orbitals);

}  // namespace hakaru::apps::electrons
