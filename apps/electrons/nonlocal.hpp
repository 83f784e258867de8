// The non-local part of the pseudopotentials: separable projectors in spheres around the atoms.
//
//   exp(-iKr) V_nl exp(iKr) u = sum_p |P> d <P|u>,   P(r) = exp(-iK(r - R)) p(r - R),   K = k + a.
//
// The radial functions are band-limited: their Fourier components on the grid's own reciprocal
// vectors are transformed to the grid and cut off at the sphere's radius, so that they do not alias
// on coarse grids. Sampling the closed form in real space would (README.md).
#pragma once

#include <cstdint>
#include <vector>

#include "apps/electrons/crystal.hpp"

namespace hakaru::apps::electrons {

// The points of one atom's sphere; points within a row of the grid follow each other. Padded to
// whole vectors by points that have the value zero.
struct Sphere {
  static constexpr std::size_t vector_points = 8;

  std::size_t points = 0;            // without padding
  std::vector<std::uint32_t> index;  // of the grid
  std::vector<double> x, y, z;       // from the atom, nearest image, bohr
  std::vector<double> values;        // [projector][padded point], times the square root of dv
  std::vector<double> strength;      // [projector], hartree
  std::size_t padded() const { return index.size(); }
  std::size_t projectors() const { return strength.size(); }
};

// Work of one application to one orbital, as the published code counts it: 4 flops a projector and
// 10 + 11 a projector and point.
struct NonlocalCount {
  double projectors = 0.0, points = 0.0, projector_points = 0.0;
  double conventional_flops() const { return 4.0 * projectors + 21.0 * projector_points; }
  // Flops that are done here: phases 6 + 8 a point, dot product and update 4 + 4 a projector and
  // point.
  double flops() const { return 14.0 * points + 8.0 * projector_points; }
};

class Nonlocal {
 public:
  // Spheres of `reach` times the widest radius of a species' projectors.
  Nonlocal(const Crystal& crystal, const CellGrid& grid, double reach);

  bool empty() const { return spheres_.empty(); }
  const std::vector<Sphere>& spheres() const { return spheres_; }
  // Phases of all points for one K, to be given to the methods below.
  // For each sphere the cosines of all points, then the sines.
  std::size_t phase_numbers() const { return phase_numbers_; }
  void set_phases(const Vector& wave_vector, double* phases) const;

  // out += V_nl in
  void add(const double* phases, const Complex* in, Complex* out) const;
  // Expectation value of V_nl, and its derivative with respect to K: the commutator's part of the
  // current. For an orbital normalised to dv sum |u|^2 = 1.
  struct Expectation {
    double energy = 0.0;
    Vector current{};
  };
  Expectation expectation(const double* phases, const Complex* in) const;

  NonlocalCount count() const;

 private:
  double cell_volume_;
  std::size_t phase_numbers_ = 0;
  std::vector<Sphere> spheres_;
};

// What count() gives, from the parameters alone: points that lie in the spheres on the average.
NonlocalCount count_nonlocal(const Crystal& crystal, const CellGrid& grid, double reach);

}  // namespace hakaru::apps::electrons
