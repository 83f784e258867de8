// The filter itself, on the planes of one rank.
#pragma once

#include <vector>

#include "apps/median_filter/plan.hpp"
#include "apps/median_filter/slab.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::median_filter {

// A part of the rows and planes of a slab: what one thread does at a time.
struct Tile {
  std::int64_t first_row, end_row, first_plane, end_plane;
};

// Made once for a window; used by as many threads as there were at most when it was made.
template <typename Value>
class Filter {
 public:
  explicit Filter(const Window& window);

  // filtered <- median of the window of each own point of `image`, whose points beyond the edges
  // are there. What lies behind the rows of `filtered` is overwritten. By all threads.
  void apply(const Shape& shape, const Value* image, Value* filtered);

 private:
  Plan plan_;
  std::int64_t rows_;                               // of a tile
  std::vector<base::AlignedArray<Value>> scratch_;  // of each thread
};

// Minima and maxima that Filter computes for a point of a large slab.
double operations_per_point(const Window& window);

// A tile for windows of 3 x 3 x 3: networks made at compile time, values in registers.
template <typename Value>
void filter_three(const Shape& shape, const Tile& tile, const Value* image, Value* filtered);
double operations_of_three();

// A tile for any window: the networks of `plan` on vectors in `scratch`, whose number of values
// for tiles of so many rows scratch_values says.
template <typename Value>
void filter_any(const Plan& plan, const Shape& shape, const Tile& tile, const Value* image,
                Value* filtered, Value* scratch);
template <typename Value>
std::int64_t scratch_values(const Window& window, std::int64_t rows);

}  // namespace hakaru::apps::median_filter
