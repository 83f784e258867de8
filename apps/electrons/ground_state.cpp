#include "apps/electrons/ground_state.hpp"

#include <omp.h>

#include <cmath>
#include <exception>
#include <numbers>

#include "apps/electrons/common_quantum.hpp"
#include "native/base/blas_threads.hpp"

namespace hakaru::apps::electrons {
namespace {

// Gaussians of the valence charge at the atoms.
std::vector<double> atoms_density(const System& system, const Fourier& fourier) {
  constexpr double width = 1.0;  // bohr
  std::vector<Complex> values(system.grid.size());
  for_each_g(system.grid, [&](std::size_t at, const Vector& g) {
    Complex sum = 0.0;
    for (const Atom& atom : system.crystal.atoms)
      sum += system.crystal.of(atom).valence * std::polar(1.0, -dot(g, atom.place));
    values[at] = sum * std::exp(-0.5 * dot(g, g) * width * width) / system.grid.volume();
  });
  fourier.backward(values.data());
  std::vector<double> density(values.size());
  for (std::size_t i = 0; i < density.size(); ++i) density[i] = std::max(values[i].real(), 0.0);
  return density;
}

void add_density(const Complex* orbital, double weight, std::vector<double>& density) {
  for (std::size_t i = 0; i < density.size(); ++i)
    density[i] += rounded(weight * std::norm(orbital[i]), density_bound);
}

class Search {
 public:
  Search(const System& system, const Hamiltonian& hamiltonian, MeanField& field,
         const parallel::Communicator& world, const GroundStateOptions& options)
      : system_(system),
        hamiltonian_(hamiltonian),
        field_(field),
        world_(world),
        options_(options),
        part_(part_of(static_cast<int>(system.k_points.size()), world.rank(), world.size())),
        occupied_(system.crystal.occupied()) {}

  GroundState find(GroundState from, const Watch& watch) {
    GroundState state = std::move(from);
    start(state);
    while (state.iterations < options_.most_iterations && !state.converged) {
      field_.potential(state.density, state.potential);
      improve(state, state.iterations == 0 ? 8 : 3);
      const std::vector<double> output = total_density(state);
      const double energy = state.energy;
      finish_iteration(state, output);
      state.converged = state.iterations > 0 &&
                        std::abs(state.energy - energy) < options_.energy_tolerance &&
                        state.density_change < options_.density_tolerance &&
                        state.residual < options_.residual_tolerance;
      ++state.iterations;
      if (!state.converged) state.mixing.next(state.density, output);
      if (watch) watch(state);
    }
    store(state);
    return state;
  }

 private:
  int bands() const { return occupied_ + options_.extra_bands; }

  void start(GroundState& state) {
    state.converged = false;
    if (!state.states.empty()) return;
    if (state.density.empty()) state.density = atoms_density(system_, field_.fourier());
    state.iterations = 0, state.mixing = Mixing();
    state.states.resize(part_.count());
    for (int i = 0; i < part_.count(); ++i) {
      const int number = part_.first + i;
      state.states[i].vectors =
          starting_vectors(system_.grid, system_.k_points[number].k, bands(), number);
      if (state.orbitals.size() == 0) continue;
      for (int band = 0; band < occupied_; ++band)
        std::copy_n(state.orbitals.at(i, band), system_.grid.size(),
                    state.states[i].vectors.vector(band));
    }
  }

  // Threads share the k-points, or where there are fewer of them the bands.
  void improve(GroundState& state, int steps) {
    const Eigensolver solver(hamiltonian_, field_.fourier());
    const double tolerance = 0.3 * options_.residual_tolerance;
    std::exception_ptr failure;  // must not leave the threads' region
#pragma omp parallel for schedule(dynamic) if (part_.count() >= omp_get_max_threads())
    for (int i = 0; i < part_.count(); ++i) try {
        solver.improve(system_.k_points[part_.first + i].k, state.potential.data(), occupied_,
                       steps, tolerance, state.states[i]);
      } catch (...) {
#pragma omp critical
        failure = std::current_exception();
      }
    if (failure) std::rethrow_exception(failure);
    double residual = 0.0;
    for (const Eigenstates& one : state.states) residual = std::max(residual, one.residual);
    state.residual = world_.maximum(residual);
  }

  std::vector<double> total_density(const GroundState& state) const {
    std::vector<double> density(system_.grid.size(), 0.0);
    for (int i = 0; i < part_.count(); ++i)
      for (int band = 0; band < occupied_; ++band)
        add_density(state.states[i].vectors.vector(band),
                    2.0 * system_.k_points[part_.first + i].weight, density);
    world_.sum(density);
    symmetrise(system_.grid, system_.operations, density.data());
    return density;
  }

  // E = sum of eigenvalues - integral of V_Hxc[in] n_out + E_H[n_out] + E_xc[n_out] + Ewald
  void finish_iteration(GroundState& state, const std::vector<double>& output) {
    double bands = 0.0, counted_twice = 0.0;
    state.density_change = 0.0;
    for (int i = 0; i < part_.count(); ++i)
      for (int band = 0; band < occupied_; ++band)
        bands +=
            rounded(2.0 * system_.k_points[part_.first + i].weight * state.states[i].values[band],
                    current_bound);
    bands = world_.sum(bands);
    const std::vector<double>& ions = field_.ions();
    for (std::size_t j = 0; j < output.size(); ++j) {
      counted_twice += (state.potential[j] - ions[j]) * output[j];
      state.density_change += std::abs(output[j] - state.density[j]);
    }
    const double dv = system_.grid.cell_volume();
    state.density_change *= dv;
    std::vector<double> unused;
    const FieldEnergies of_output = field_.potential(output, unused);
    state.energy = bands - counted_twice * dv + of_output.hartree + of_output.exchange_correlation +
                   field_.ewald();
  }

  void store(GroundState& state) {
    state.orbitals = Orbitals(system_.grid.size(), part_.first, part_.count(), occupied_);
    state.eigenvalues.clear();
    for (int i = 0; i < part_.count(); ++i) {
      state.eigenvalues.push_back(state.states[i].values);
      for (int band = 0; band < occupied_; ++band)
        std::copy_n(state.states[i].vectors.vector(band), system_.grid.size(),
                    state.orbitals.at(i, band));
    }
    state.states.clear();
    state.mixing = Mixing();
  }

  const System& system_;
  const Hamiltonian& hamiltonian_;
  MeanField& field_;
  const parallel::Communicator& world_;
  GroundStateOptions options_;
  Part part_;
  int occupied_;
};

}  // namespace

System make_system(const Crystal& crystal, const Shape& points, const Shape& mesh, int direction,
                   double reach) {
  System system{crystal, {points, crystal.lengths}, mesh, direction, {Operation{}}, {}, reach};
  if (direction >= 0) system.operations = symmetries(crystal, system.grid, mesh, direction);
  system.k_points = monkhorst_pack(mesh, crystal, system.operations);
  return system;
}

std::pair<double, double> GroundState::edges(int occupied,
                                             const parallel::Communicator& world) const {
  double valence = -1e300, conduction = 1e300;
  for (const std::vector<double>& values : eigenvalues) {
    valence = std::max(valence, values[occupied - 1]);
    if (int(values.size()) > occupied) conduction = std::min(conduction, values[occupied]);
  }
  return {world.maximum(valence), world.minimum(conduction)};
}

GroundState find_ground_state(const System& system, const Hamiltonian& hamiltonian,
                              MeanField& field, const parallel::Communicator& world,
                              const GroundStateOptions& options, GroundState from,
                              const Watch& watch) {
  base::use_one_blas_thread();
  return Search(system, hamiltonian, field, world, options).find(std::move(from), watch);
}

std::vector<double> bands_at(const Hamiltonian& hamiltonian, const MeanField& field,
                             const std::vector<double>& potential, const Vector& k, int count) {
  Eigenstates states;
  states.vectors = starting_vectors(hamiltonian.grid(), k, count + 4, 0);
  Eigensolver(hamiltonian, field.fourier()).improve(k, potential.data(), count, 60, 1e-6, states);
  states.values.resize(count);
  return states.values;
}

std::vector<double> own_density(const System& system, const Orbitals& orbitals) {
  const std::size_t points = system.grid.size();
  std::vector<double> density(points, 0.0);
#pragma omp parallel
  {
    const int size = static_cast<int>(points);
    const Part mine = part_of(size, omp_get_thread_num(), omp_get_num_threads());
    for (int i = 0; i < orbitals.k_count(); ++i)
      for (int band = 0; band < orbitals.bands(); ++band) {
        const double weight = 2.0 * system.k_points[orbitals.first_k() + i].weight;
        const Complex* u = orbitals.at(i, band);
        for (int j = mine.first; j < mine.last; ++j)
          density[j] += rounded(weight * std::norm(u[j]), density_bound);
      }
  }
  return density;
}

}  // namespace hakaru::apps::electrons
