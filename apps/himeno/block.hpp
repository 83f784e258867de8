// The arrays of one rank.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/himeno/decomposition.hpp"
#include "apps/himeno/problem.hpp"
#include "native/base/aligned.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::himeno {

// Pressure is held twice: an iteration reads one array and writes the other (the benchmark's wrk2),
// then they change places; the fixed boundary is in both, so no copy loop is needed. The other
// twelve arrays are interleaved by cache line: along a row, one line of each array follows the
// other (a0 a1 a2 b0 b1 b2 c0 c1 c2 wrk1 a3 bnd), so that the kernel reads them as one stream. In
// boundary, ghost and filling words they are zero, which makes the kernel copy the pressure there
// unchanged.
template <typename Real>
class Block {
 public:
  // Arrays are first touched by the OpenMP threads that work on them.
  Block(const Problem& problem, const Region& region);

  // Back to the initial pressure, in the array that is read next.
  void reset();
  // One iteration; returns the sum of squared residuals of this block. Ghost points of the new
  // pressure are stale afterwards.
  double iterate(bool streaming);
  // The same pressure; what each row gives is added to `gosa`.
  void iterate_exactly(bool streaming, parallel::ExactSum& gosa);

  const Shape& shape() const { return shape_; }
  const Region& region() const { return region_; }
  // Pressure array, to be indexed by shape().index(i, j, k) with 0 for the ghost or boundary point
  // and 1 for the first interior point.
  Real* pressure() { return now_; }
  const Real* pressure() const { return now_; }

 private:
  static constexpr std::int64_t line = 64 / sizeof(Real);
  // Offsets from the page boundary, different for each array so that their streams do not meet in
  // one cache set.
  static constexpr std::int64_t lead_now = line, lead_next = 37 * line,
                                lead_coefficients = 24 * line;

  void initialise_coefficients();
  void initialise_row(Real* pressure, std::int64_t j, std::int64_t k) const;

  Problem problem_;
  Region region_;
  Shape shape_;
  base::AlignedArray<Real> coefficients_, first_, second_;
  Real *now_, *next_;
  std::vector<double>
      sums_;  // of each thread, added in their order so that equal runs give equal bits
};

}  // namespace hakaru::apps::himeno
