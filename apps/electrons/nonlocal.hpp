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
#include "apps/electrons/projection.hpp"

namespace hakaru::apps::electrons {

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
  Nonlocal(const Crystal& crystal, const CellGrid& grid, double reach,
           Variant variant = Variant::explicit_simd);

  bool empty() const { return sites_.empty(); }
  // Phases of all spheres for one K, to be given to the methods below.
  using Phases = LineVector<double>;
  void set_phases(const Vector& wave_vector, Phases& phases) const;

  // out += V_nl in
  void add(const Phases& phases, const Complex* in, Complex* out) const;
  // Expectation value of V_nl, and its derivative with respect to K: the commutator's part of the
  // current. For an orbital normalised to dv sum |u|^2 = 1.
  struct Expectation {
    double energy = 0.0;
    Vector current{};
  };
  Expectation expectation(const Phases& phases, const Complex* in) const;

  NonlocalCount count() const;

 private:
  // An atom: its sphere, that sphere's place in the phases, and where its windows lie.
  struct Site {
    std::size_t sphere, phases;
    std::vector<std::uint32_t> windows;
  };
  projection::Site at(const Site& site, const Phases& phases) const;

  double cell_volume_;
  Variant variant_;
  std::vector<Sphere> spheres_;
  std::vector<Site> sites_;
  std::size_t projectors_ = 0;  // of all sites
};

// What count() gives, from the parameters alone: points that lie in the spheres on the average.
NonlocalCount count_nonlocal(const Crystal& crystal, const CellGrid& grid, double reach);

}  // namespace hakaru::apps::electrons
