#include "apps/electrons/propagator.hpp"

#include <omp.h>

#include <cmath>

#include "apps/electrons/common_quantum.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr std::size_t extras = 5;  // current (3), electrons, signalled

Vector plus(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

struct Scratch {
  WorkOrbitals orbitals;
  Complex *even, *odd, *copy;
  explicit Scratch(std::size_t points)
      : orbitals(points, 3), even(orbitals[0]), odd(orbitals[1]), copy(orbitals[2]) {}
};

double norm_into(const Complex* u, double weight, std::vector<double>& density) {
  const double* value = reinterpret_cast<const double*>(u);
  const std::size_t points = density.size() - extras;
  double* n = density.data();
  double norm = 0.0;
#pragma omp simd reduction(+ : norm)
  for (std::size_t i = 0; i < points; ++i) {
    const double square = value[2 * i] * value[2 * i] + value[2 * i + 1] * value[2 * i + 1];
    n[i] += rounded(weight * square, density_bound);
    norm += square;
  }
  return rounded(weight * norm, squares_bound);
}

}  // namespace

Propagator::Propagator(const System& system, const Hamiltonian& hamiltonian, MeanField& field,
                       const parallel::Communicator& world, const PropagatorOptions& options,
                       const Clock& clock)
    : system_(system),
      hamiltonian_(hamiltonian),
      field_(field),
      world_(world),
      options_(options),
      clock_(clock) {
  const Part part = part_of(static_cast<int>(system.k_points.size()), world.rank(), world.size());
  orbitals_ = Orbitals(system.grid.size(), part.first, part.count(), system.crystal.occupied());
  bloch_.resize(part.count()), bloch_end_.resize(part.count());
  message_.resize(system.grid.size() + extras);
  partial_.resize(omp_get_max_threads());
}

void Propagator::begin(const Orbitals& from) {
  {
    const TimedPass time(clock_, clock_.update);
    orbitals_.copy_from(from);
  }
  start_mean_field();
}

void Propagator::start_mean_field() {
  {
    const TimedPass time(clock_, clock_.density);
    density_ = own_density(system_, orbitals_);
  }
  {
    const TimedPass time(clock_, clock_.reduce);
    world_.sum(density_);
  }
  const TimedPass time(clock_, clock_.density);
  symmetrise(system_.grid, system_.operations, density_.data());
  field_.potential(density_, memory_.last[0]);
  memory_.last[1] = memory_.last[2] = memory_.last[0];
}

void Propagator::begin_waves() {
  for (int k = 0; k < orbitals_.k_count(); ++k) {
    // The lowest plane waves of this k, made one after the other to need no more memory.
    const CellGrid& grid = system_.grid;
    const int bands = orbitals_.bands();
#pragma omp parallel for schedule(static)
    for (int band = 0; band < bands; ++band) {
      const int side = static_cast<int>(std::ceil(std::cbrt(double(bands))));
      const int f[3] = {band / (side * side), band / side % side, band % side};
      const double scale = 1.0 / std::sqrt(grid.volume());
      Complex* u = orbitals_.at(k, band);
      for (int x = 0; x < grid.points[0]; ++x)
        for (int y = 0; y < grid.points[1]; ++y)
          for (int z = 0; z < grid.points[2]; ++z) {
            double turns = 0.0;
            const int at[3] = {x, y, z};
            for (int d = 0; d < 3; ++d) turns += double((f[d] - side / 2) * at[d]) / grid.points[d];
            *u++ = std::polar(scale, 2.0 * M_PI * turns);
          }
    }
  }
  start_mean_field();
}

void Propagator::set_bloch(const Vector& a) {
  for (int k = 0; k < orbitals_.k_count(); ++k)
    hamiltonian_.set(plus(system_.k_points[orbitals_.first_k() + k].k, a), bloch_[k]);
}

// sum_n (-i dt h)^n / n! u for n = 0..4; the terms alternate between two buffers, and the sum
// grows in u itself.
void Propagator::taylor(const Bloch& bloch, const double* potential, Complex* u, Complex* even,
                        Complex* odd) {
  Complex factor = 1.0;
  Complex *in = u, *out = odd;
  for (int n = 1; n <= 4; ++n) {
    if (n == 1)
      hamiltonian_.apply_local(bloch, potential, in, out);
    else
      hamiltonian_.apply_stencil(bloch, potential, in, out, factor, u);
    {
      const TimedPart time(clock_, clock_.nonlocal);
      hamiltonian_.add_nonlocal(bloch, in, out);
    }
    factor *= Complex(0.0, -options_.dt) / double(n);
    in = out;
    out = out == odd ? even : odd;
  }
  const TimedPart time(clock_, clock_.update);
  hamiltonian_.accumulate(in, factor, u);
}

void Propagator::pass(Pass which, const double* potential, const Vector& a_end) {
  const TimedPass whole(clock_, clock_.stencil);
  const int bands = orbitals_.bands(), count = orbitals_.k_count() * bands;
  const std::size_t points = system_.grid.size();
  const bool measured = which != Pass::predict;
  if (measured) {
    const TimedPart time(clock_, clock_.current);
#pragma omp parallel for schedule(static)
    for (int k = 0; k < orbitals_.k_count(); ++k)
      hamiltonian_.set(plus(system_.k_points[orbitals_.first_k() + k].k, a_end), bloch_end_[k]);
  }
#pragma omp parallel
  {
    Scratch scratch(points);
    std::vector<double>& sums = partial_[omp_get_thread_num()];
    sums.assign(points + extras, 0.0);
#pragma omp for schedule(static)
    for (int i = 0; i < count; ++i) {
      const int k = i / bands, band = i % bands;
      const KPoint& point = system_.k_points[orbitals_.first_k() + k];
      Complex* u = orbitals_.at(k, band);
      if (which == Pass::predict) {
        const TimedPart time(clock_, clock_.update);
        std::copy_n(u, points, scratch.copy);
        u = scratch.copy;
      }
      if (which != Pass::observe) taylor(bloch_[k], potential, u, scratch.even, scratch.odd);
      const double weight = 2.0 * point.weight;
      {
        const TimedPart time(clock_, clock_.density);
        sums[points + 3] += norm_into(u, weight, sums);
      }
      if (!measured) continue;
      const TimedPart time(clock_, clock_.current);
      Vector j = hamiltonian_.momentum(plus(point.k, a_end), u);
      if (!hamiltonian_.nonlocal().empty())
        j = plus(j, hamiltonian_.nonlocal().expectation(bloch_end_[k].phases, u).current);
      for (int d = 0; d < 3; ++d) sums[points + d] += rounded(weight * j[d], current_bound);
    }
    const Part mine =
        part_of(static_cast<int>(message_.size()), omp_get_thread_num(), omp_get_num_threads());
    const TimedPart time(clock_, clock_.density);
    for (int i = mine.first; i < mine.last; ++i) {
      double sum = 0.0;
      for (int thread = 0; thread < omp_get_num_threads(); ++thread) sum += partial_[thread][i];
      message_[i] = sum;
    }
  }
}

void Propagator::reduce(bool signalled) {
  const TimedPass time(clock_, clock_.reduce);
  message_.back() = signalled ? 1.0 : 0.0;
  world_.sum(message_);
}

void Propagator::update_mean_field(std::vector<double>& potential) {
  const TimedPass time(clock_, clock_.density);
  density_.assign(message_.begin(), message_.end() - extras);
  symmetrise(system_.grid, system_.operations, density_.data());
  if (!options_.frozen) field_.potential(density_, potential);
}

Observed Propagator::observed() const {
  Observed result;
  const double* values = message_.data() + system_.grid.size();
  result.current = symmetrise(system_.operations,
                              {values[0] / system_.grid.volume(), values[1] / system_.grid.volume(),
                               values[2] / system_.grid.volume()});
  result.electrons = values[3] * system_.grid.cell_volume();
  result.signalled = values[4] > 0.5;
  return result;
}

Observed Propagator::step(const Vector& before, const Vector& after, bool signalled) {
  Vector middle;
  for (int d = 0; d < 3; ++d) middle[d] = 0.5 * (before[d] + after[d]);
  {
    const TimedPass time(clock_, clock_.nonlocal);
#pragma omp parallel for schedule(static)
    for (int k = 0; k < orbitals_.k_count(); ++k)
      hamiltonian_.set(plus(system_.k_points[orbitals_.first_k() + k].k, middle), bloch_[k]);
  }
  const std::vector<double>&v0 = memory_.last[0], &v1 = memory_.last[1], &v2 = memory_.last[2];
  middle_.resize(v0.size());
  {
    // V(t + dt/2) from V at t, t - dt, t - 2 dt.
    const TimedPass time(clock_, clock_.density);
    for (std::size_t i = 0; i < v0.size(); ++i)
      middle_[i] = options_.frozen ? v0[i] : 1.875 * v0[i] - 1.25 * v1[i] + 0.375 * v2[i];
  }
  for (int correction = 0; correction < options_.corrections; ++correction) {
    pass(Pass::predict, middle_.data(), after);
    reduce(signalled);
    update_mean_field(predicted_);
    const TimedPass time(clock_, clock_.density);
    if (!options_.frozen)
      for (std::size_t i = 0; i < v0.size(); ++i) middle_[i] = 0.5 * (v0[i] + predicted_[i]);
  }
  pass(Pass::advance, middle_.data(), after);
  reduce(signalled);
  if (!options_.frozen) {
    memory_.last[2].swap(memory_.last[1]);
    memory_.last[1].swap(memory_.last[0]);
  }
  update_mean_field(memory_.last[0]);
  return observed();
}

Observed Propagator::observe(const Vector& a) {
  pass(Pass::observe, nullptr, a);
  reduce(false);
  return observed();
}

// E = sum f <h> - integral of V_Hxc n + E_H + E_xc + Ewald, with the orbitals' own density.
double Propagator::energy(const Vector& a) {
  const std::size_t points = system_.grid.size();
  std::vector<double> potential;
  FieldEnergies energies;
  {
    const TimedPass time(clock_, clock_.density);
    energies = field_.potential(density_, potential);
  }
  const std::vector<double>& fixed = options_.frozen ? memory_.last[0] : potential;
  double sum = 0.0;
  {
    const TimedPass time(clock_, clock_.stencil);
    set_bloch(a);
    const int bands = orbitals_.bands(), count = orbitals_.k_count() * bands;
    std::vector<double> of_orbital(count);
#pragma omp parallel
    {
      std::vector<Complex> image(points);
#pragma omp for schedule(static)
      for (int i = 0; i < count; ++i) {
        const Complex* u = orbitals_.at(i / bands, i % bands);
        hamiltonian_.apply_local(bloch_[i / bands], fixed.data(), u, image.data());
        {
          const TimedPart time(clock_, clock_.nonlocal);
          hamiltonian_.add_nonlocal(bloch_[i / bands], u, image.data());
        }
        double value = 0.0;
        for (std::size_t j = 0; j < points; ++j)
          value += u[j].real() * image[j].real() + u[j].imag() * image[j].imag();
        const double weight = 2.0 * system_.k_points[orbitals_.first_k() + i / bands].weight;
        of_orbital[i] = rounded(weight * value, squares_bound);
      }
    }
    for (const double value : of_orbital) sum += value;
  }
  {
    const TimedPass time(clock_, clock_.reduce);
    sum = world_.sum(sum);
  }
  sum *= system_.grid.cell_volume();
  if (options_.frozen) return sum;
  return sum - energies.potential + energies.hartree + energies.exchange_correlation +
         field_.ewald();
}

}  // namespace hakaru::apps::electrons
