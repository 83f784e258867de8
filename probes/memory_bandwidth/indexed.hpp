// Loads from places that other data say, as a sparse matrix times a vector does: on working sets
// that grow from the first-level cache to memory, each core with data of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "native/base/aligned.hpp"
#include "native/base/cores.hpp"

namespace hakaru::probes::memory_bandwidth {

// A square matrix of `rows` rows with `row` elements each, at random columns: 12 B an element (a
// value and its column), 16 B a row (of both vectors). The longer the rows, the smaller the vector
// that is loaded from: Zen 5 gets a matrix from memory at 12 GB/s while its vector fits the second
// cache, and at 20 as soon as it does not, so lengths are as close together as working sets.
struct IndexedShape {
  std::int64_t row, rows, passes;
  std::int64_t elements() const { return rows * row; }
  double bytes() const { return static_cast<double>(12 * elements() + 16 * rows); }
};
inline constexpr std::int64_t indexed_rows[] = {32, 64, 128, 256, 512};
// At least one row and one pass.
IndexedShape indexed_shape(std::int64_t working_set, std::int64_t row, std::int64_t sample_bytes);

struct IndexedSample {
  IndexedShape shape;
  int repetition;  // from 1
  double seconds;  // of one pass
};

struct IndexedResult {
  std::vector<IndexedSample> samples;
  double wrong = 0.0;  // rows whose product is not what a plain loop says
};

// `working_sets` ascend. `damage` makes one row of each wrong.
IndexedResult run_indexed(base::PinnedTeam& team, const std::vector<std::int64_t>& working_sets,
                          std::int64_t sample_bytes, int repetitions, base::Pages pages,
                          bool damage = false);

}  // namespace hakaru::probes::memory_bandwidth
