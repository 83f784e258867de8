// The one-dimensional transforms, through FFTW: lines along x where they lie, lines along y and z
// eight at a time through a buffer that fits into a first-level cache.
#pragma once

#include <fftw3.h>

#include <array>
#include <memory>

#include "apps/ft/route.hpp"
#include "apps/ft/steps.hpp"

namespace hakaru::apps::ft {

// timed: FFTW tries algorithms, and rounding depends on which was fastest; equal: the same
// algorithm in every process.
enum class Planning { timed, equal };

class Transforms {
 public:
  explicit Transforms(const Grid& grid, Planning planning = Planning::timed);

  // All lines of a rank's share along an axis that is not divided, in place and without
  // normalisation: sum over j of u_j exp(-+ 2 pi i j k / n), minus for forward.
  void operator()(const Slab& slab, int rank, Axis axis, Direction direction,
                  Complex* values) const;

 private:
  struct Destroy {
    void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
  };
  using Plan = std::unique_ptr<fftw_plan_s, Destroy>;
  void rows(const Slab& slab, int rank, fftw_plan plan, Complex* values) const;
  void across(const Slab& slab, int rank, Axis axis, fftw_plan plan, Complex* values) const;

  std::array<std::array<Plan, 2>, 3> plans_;  // by axis and direction
};

// Operations of a rank's transforms along one axis: 5 n log2 n a line.
double transform_flops(const Slab& slab, int rank, Axis axis);

}  // namespace hakaru::apps::ft
