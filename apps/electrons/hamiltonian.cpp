#include "apps/electrons/hamiltonian.hpp"

#include "apps/electrons/stencil/gradient.hpp"

namespace hakaru::apps::electrons {
void Hamiltonian::set(const Vector& wave_vector, Bloch& bloch) const {
  if (bloch.wave_vector == wave_vector) return;
  bloch.wave_vector = wave_vector;
  bloch.stencil = stencil_coefficients(stencil_grid_, wave_vector);
  nonlocal_.set_phases(wave_vector, bloch.phases);
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
  if (!nonlocal_.empty()) nonlocal_.add(bloch.phases, in, out);
}

void Hamiltonian::accumulate(const Complex* in, Complex factor, Complex* sum) const {
  electrons::accumulate(stencil_grid_, in, factor, sum);
}

// Re conj(u) (-i) du = Im conj(u) du
Vector Hamiltonian::momentum(const Vector& wave_vector, const Complex* in) const {
  const GradientSums sums = gradient_sums(stencil_grid_, in, options_.variant);
  Vector result;
  for (int d = 0; d < 3; ++d)
    result[d] = grid_.cell_volume() * (sums.gradient[d] + wave_vector[d] * sums.norm);
  return result;
}

}  // namespace hakaru::apps::electrons
