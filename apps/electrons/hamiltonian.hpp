// The Kohn-Sham Hamiltonian of one Bloch vector: the stencil with the local potential, and the
// non-local part.
#pragma once

#include <optional>

#include "apps/electrons/nonlocal.hpp"
#include "apps/electrons/stencil/stencil.hpp"

namespace hakaru::apps::electrons {

inline Grid stencil_grid(const CellGrid& grid) {
  return {{std::size_t(grid.points[0]), std::size_t(grid.points[1]), std::size_t(grid.points[2])},
          {grid.spacing(0), grid.spacing(1), grid.spacing(2)}};
}

// What depends on K = k + a alone.
struct Bloch {
  StencilCoefficients stencil;
  Nonlocal::Phases phases;
  std::optional<Vector> wave_vector;  // for which the others are
};

class Hamiltonian {
 public:
  Hamiltonian(const Crystal& crystal, const CellGrid& grid, double reach,
              const StencilOptions& options = {})
      : grid_(grid),
        stencil_grid_(stencil_grid(grid)),
        nonlocal_(crystal, grid, reach, options.variant),
        options_(options) {}

  const CellGrid& grid() const { return grid_; }
  const Nonlocal& nonlocal() const { return nonlocal_; }

  void set(const Vector& wave_vector, Bloch& bloch) const;
  // out = h in
  void apply(const Bloch& bloch, const double* potential, const Complex* in, Complex* out) const;
  // out = (local part of h) in, sum += factor in
  void apply_stencil(const Bloch& bloch, const double* potential, const Complex* in, Complex* out,
                     Complex factor, Complex* sum) const;
  // out = (local part of h) in
  void apply_local(const Bloch& bloch, const double* potential, const Complex* in,
                   Complex* out) const;
  void add_nonlocal(const Bloch& bloch, const Complex* in, Complex* out) const;
  // sum += factor in
  void accumulate(const Complex* in, Complex factor, Complex* sum) const;

  // dv sum conj(u) (-i grad + K) u by the stencil's own gradient, for an orbital with
  // dv sum |u|^2 = 1: the local part of the current, which is dh/dK.
  Vector momentum(const Vector& wave_vector, const Complex* in) const;

 private:
  CellGrid grid_;
  Grid stencil_grid_;
  Nonlocal nonlocal_;
  StencilOptions options_;
};

}  // namespace hakaru::apps::electrons
