#include "apps/median_filter/filter.hpp"

#include <omp.h>

#include <algorithm>

#include "native/base/share.hpp"

namespace hakaru::apps::median_filter {
namespace {

constexpr std::int64_t most_rows = 4;
// What the tiles of a window without a network of its own keep shall stay in a second cache.
constexpr std::int64_t kept_bytes = 512 * 1024;
// A tile begins with the planes below it, which pays from some planes on.
constexpr std::int64_t fewest_planes = 8;

bool is_three(const Window& window) { return window.x == 3 && window.y == 3 && window.z == 3; }

template <typename Value>
std::int64_t rows_of_tile(const Window& window) {
  if (is_three(window)) return most_rows;
  std::int64_t rows = most_rows;
  const auto bytes = [&] {
    return scratch_values<Value>(window, rows) * std::int64_t{sizeof(Value)};
  };
  while (rows > 1 && bytes() > kept_bytes) --rows;
  return rows;
}

}  // namespace

template <typename Value>
Filter<Value>::Filter(const Window& window) : plan_(window), rows_(rows_of_tile<Value>(window)) {
  if (is_three(window)) return;
  for (int thread = 0; thread < omp_get_max_threads(); ++thread)
    scratch_.emplace_back(static_cast<std::size_t>(scratch_values<Value>(window, rows_)));
}

template <typename Value>
void Filter<Value>::apply(const Shape& shape, const Value* image, Value* filtered) {
  const std::int64_t groups = (shape.extent.y + rows_ - 1) / rows_;
  const std::int64_t layers =
      std::clamp<std::int64_t>(shape.extent.z / fewest_planes, 1, omp_get_max_threads());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < layers * groups; ++i) {
    const base::Share planes = base::share_of(shape.extent.z, i / groups, layers);
    const std::int64_t first = i % groups * rows_;
    const Tile tile{first, std::min(first + rows_, shape.extent.y), planes.first, planes.end()};
    if (scratch_.empty())
      filter_three(shape, tile, image, filtered);
    else
      filter_any(plan_, shape, tile, image, filtered,
                 scratch_[static_cast<std::size_t>(omp_get_thread_num())].data());
  }
}

double operations_per_point(const Window& window) {
  return is_three(window) ? operations_of_three() : Plan(window).operations_per_point();
}

template class Filter<std::int32_t>;
template class Filter<float>;
template class Filter<double>;

}  // namespace hakaru::apps::median_filter
