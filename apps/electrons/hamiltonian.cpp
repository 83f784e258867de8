#include "apps/electrons/hamiltonian.hpp"

#include <algorithm>

namespace hakaru::apps::electrons {
namespace {

// Weights of (u(+m) - u(-m)) / h in the eighth-order first derivative.
constexpr double difference[stencil_reach] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

// sum = sum_m d_m ahead_m, all as real numbers.
void add_rows(const double* const (&ahead)[stencil_reach], std::size_t numbers, double* sum) {
#pragma omp simd
  for (std::size_t i = 0; i < numbers; ++i)
    sum[i] = difference[0] * ahead[0][i] + difference[1] * ahead[1][i] +
             difference[2] * ahead[2][i] + difference[3] * ahead[3][i];
}

// Im sum conj(u) v
double imaginary_product(const double* u, const double* v, std::size_t points) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < points; ++i) sum += u[2 * i] * v[2 * i + 1] - u[2 * i + 1] * v[2 * i];
  return sum;
}

}  // namespace

void Hamiltonian::set(const Vector& wave_vector, Bloch& bloch) const {
  if (bloch.wave_vector == wave_vector) return;
  bloch.wave_vector = wave_vector;
  bloch.stencil = stencil_coefficients(stencil_grid_, wave_vector);
  bloch.phases.resize(nonlocal_.phase_numbers());
  nonlocal_.set_phases(wave_vector, bloch.phases.data());
}

void Hamiltonian::apply(const Bloch& bloch, const double* potential, const Complex* in,
                        Complex* out) const {
  electrons::apply(bloch.stencil, stencil_grid_, potential, in, out, options_);
  add_nonlocal(bloch, in, out);
}

void Hamiltonian::apply_local(const Bloch& bloch, const double* potential, const Complex* in,
                              Complex* out) const {
  electrons::apply(bloch.stencil, stencil_grid_, potential, in, out, options_);
}

void Hamiltonian::apply_stencil(const Bloch& bloch, const double* potential, const Complex* in,
                                Complex* out, Complex factor, Complex* sum) const {
  electrons::apply_accumulate(bloch.stencil, stencil_grid_, potential, in, out, factor, sum,
                              options_);
}

void Hamiltonian::add_nonlocal(const Bloch& bloch, const Complex* in, Complex* out) const {
  if (!nonlocal_.empty()) nonlocal_.add(bloch.phases.data(), in, out);
}

void Hamiltonian::accumulate(const Complex* in, Complex factor, Complex* sum) const {
  electrons::accumulate(stencil_grid_, in, factor, sum);
}

// Re conj(u) (-i) du = Im conj(u) du, du = sum_m d_m (u(+m) - u(-m)) / h. Summed over all points
// the two halves of it are conjugate, so only the points ahead are read, and counted twice.
Vector Hamiltonian::momentum(const Vector& wave_vector, const Complex* in) const {
  const auto [nx, ny, nz] = stencil_grid_.points;
  const double* u = reinterpret_cast<const double*>(in);
  const std::size_t numbers = 2 * nz;
  static thread_local std::vector<double> memory;
  memory.resize(2 * numbers + 2 * stencil_reach);
  double *sum = memory.data(), *periodic = sum + numbers;
  Vector sums{};
  double norm = 0.0;
  for (std::size_t x = 0; x < nx; ++x)
    for (std::size_t y = 0; y < ny; ++y) {
      const double* row = u + numbers * (x * ny + y);
#pragma omp simd reduction(+ : norm)
      for (std::size_t i = 0; i < numbers; ++i) norm += row[i] * row[i];
      const double *along_x[stencil_reach], *along_y[stencil_reach], *along_z[stencil_reach];
      std::copy_n(row, numbers, periodic);
      std::copy_n(row, 2 * stencil_reach, periodic + numbers);
      for (std::size_t m = 1; m <= stencil_reach; ++m) {
        along_x[m - 1] = u + numbers * ((x + m) % nx * ny + y);
        along_y[m - 1] = u + numbers * (x * ny + (y + m) % ny);
        along_z[m - 1] = periodic + 2 * m;
      }
      add_rows(along_x, numbers, sum);
      sums[0] += imaginary_product(row, sum, nz);
      add_rows(along_y, numbers, sum);
      sums[1] += imaginary_product(row, sum, nz);
      add_rows(along_z, numbers, sum);
      sums[2] += imaginary_product(row, sum, nz);
    }
  Vector result;
  const double dv = grid_.cell_volume();
  for (int d = 0; d < 3; ++d)
    result[d] = dv * (2.0 * sums[d] / grid_.spacing(d) + wave_vector[d] * norm);
  return result;
}

}  // namespace hakaru::apps::electrons
