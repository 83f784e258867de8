// The orbitals of this process: for each of its k-points `bands` periodic functions on the grid,
// normalised to dv sum |u|^2 = 1.
#pragma once

#include <algorithm>

#include "apps/electrons/cell_grid.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::electrons {

class Orbitals {
 public:
  Orbitals() = default;
  // The first and the number of k-points held here. Not touched by the allocation.
  Orbitals(std::size_t points, int first_k, int k_count, int bands)
      : points_(points),
        first_k_(first_k),
        k_count_(k_count),
        bands_(bands),
        values_(points * std::size_t(k_count) * std::size_t(bands)) {}

  int first_k() const { return first_k_; }
  int k_count() const { return k_count_; }
  int bands() const { return bands_; }
  std::size_t points() const { return points_; }
  std::size_t size() const { return values_.size(); }
  // `k` counts from 0 to k_count().
  Complex* at(int k, int band) { return values_.data() + offset(k, band); }
  const Complex* at(int k, int band) const { return values_.data() + offset(k, band); }

  // In parallel, by the threads that will work on them.
  void copy_from(const Orbitals& other) {
    const int count = k_count_ * bands_;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
      std::copy_n(other.values_.data() + points_ * i, points_, values_.data() + points_ * i);
  }

 private:
  std::size_t offset(int k, int band) const { return points_ * (std::size_t(k) * bands_ + band); }
  std::size_t points_ = 0;
  int first_k_ = 0, k_count_ = 0, bands_ = 0;
  base::AlignedArray<Complex> values_;
};

// The part of `count` things that part `which` of `parts` holds: [first, last).
struct Part {
  int first, last;
  int count() const { return last - first; }
};
inline Part part_of(int count, int which, int parts) {
  return {static_cast<int>(std::int64_t(count) * which / parts),
          static_cast<int>(std::int64_t(count) * (which + 1) / parts)};
}

}  // namespace hakaru::apps::electrons
