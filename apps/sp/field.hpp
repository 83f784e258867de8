// Loops over the lines and points of one rank's share of an array.
#pragma once

#include "apps/sp/bundle.hpp"
#include "apps/sp/slab.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::sp {

// Calls body(bundle, lines) for all lines along `axis` (not the divided one), in bundles of
// neighbours along the third axis; threads share the bundles. inner: without lines in the boundary.
template <typename Body>
void for_lines(const Slab& slab, int rank, Axis axis, double dt, bool inner, const Body& body) {
  const Axis side = static_cast<Axis>(3 - axis - slab.divided);
  const auto extent = [&](Axis a) {
    return inner ? slab.inner(rank, a) : base::Share{0, slab.count(rank, a)};
  };
  const base::Share across = extent(side), planes = extent(slab.divided);
#pragma omp parallel
  {
    Bundle& bundle = Bundle::of_thread(slab.n[along_x], dt);
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t plane = 0; plane < planes.count; ++plane)
      for (std::int64_t line = 0; line < across.count; line += lanes) {
        const std::int64_t first = (planes.first + plane) * slab.step(rank, slab.divided) +
                                   (across.first + line) * slab.step(rank, side);
        const auto count = static_cast<int>(std::min<std::int64_t>(lanes, across.count - line));
        body(bundle, Lines{first, slab.step(rank, axis), slab.step(rank, side), count});
      }
  }
}

// values <- function(xi, eta, zeta) at all own points.
void fill(const Slab& slab, int rank, State (*function)(double, double, double), double* values);
// state += update at inner points.
void add(const Slab& slab, int rank, const double* update, double* state);
// Sums of squares over own points: of state - exact, and of the update at inner points.
using Sums = std::vector<parallel::ExactSum>;  // one a component
Sums squared_errors(const Slab& slab, int rank, const double* state);
Sums squares(const Slab& slab, int rank, const double* update);

}  // namespace hakaru::apps::sp
