#include "apps/electrons/hamiltonian.hpp"

namespace hakaru::apps::electrons {
namespace {

// Weights of (u(+m) - u(-m)) / h in the eighth-order first derivative.
constexpr double difference[stencil_reach] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

// sum over a row of Im conj(u) du, where du = sum_m d_m (u(+m) - u(-m)) along another axis, by the
// rows at +m and -m. The two halves of sum_r conj(u) (u(+m) - u(-m)) are conjugate, so only the
// rows at +m are read: Im conj(u(r)) u(r+m) twice.
double row_sum(const double* centre, const double* ahead, std::size_t points) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < points; ++i)
    sum += centre[2 * i] * ahead[2 * i + 1] - centre[2 * i + 1] * ahead[2 * i];
  return sum;
}

}  // namespace

void Hamiltonian::set(const Vector& wave_vector, Bloch& bloch) const {
  bloch.stencil = stencil_coefficients(stencil_grid_, wave_vector);
  bloch.phases.resize(nonlocal_.phase_count());
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

// Re conj(u) (-i) du = Im conj(u) du.
Vector Hamiltonian::momentum(const Vector& wave_vector, const Complex* in) const {
  const auto [nx, ny, nz] = stencil_grid_.points;
  const double* u = reinterpret_cast<const double*>(in);
  Vector sums{};
  double norm = 0.0;
  for (std::size_t x = 0; x < nx; ++x)
    for (std::size_t y = 0; y < ny; ++y) {
      const double* row = u + 2 * nz * (x * ny + y);
#pragma omp simd reduction(+ : norm)
      for (std::size_t i = 0; i < 2 * nz; ++i) norm += row[i] * row[i];
      for (std::size_t m = 1; m <= stencil_reach; ++m) {
        const double* along_x = u + 2 * nz * ((x + m) % nx * ny + y);
        const double* along_y = u + 2 * nz * (x * ny + (y + m) % ny);
        const double weight = 2.0 * difference[m - 1];
        sums[0] += weight * row_sum(row, along_x, nz);
        sums[1] += weight * row_sum(row, along_y, nz);
        sums[2] +=
            weight * (row_sum(row, row + 2 * m, nz - m) + row_sum(row + 2 * (nz - m), row, m));
      }
    }
  Vector result;
  const double dv = grid_.cell_volume();
  for (int d = 0; d < 3; ++d) result[d] = dv * (sums[d] / grid_.spacing(d) + wave_vector[d] * norm);
  return result;
}

}  // namespace hakaru::apps::electrons
