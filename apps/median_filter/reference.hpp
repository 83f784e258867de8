// The median filter written down from its definition: every window is gathered and sorted.
#pragma once

#include <algorithm>
#include <vector>

#include "apps/median_filter/problem.hpp"
#include "native/base/share.hpp"

namespace hakaru::apps::median_filter {

// A whole image, x fastest.
template <typename Value>
struct Whole {
  Extent extent;
  std::vector<Value> values;

  explicit Whole(const Extent& extent_)
      : extent(extent_), values(static_cast<std::size_t>(extent_.points())) {}
  Value& at(std::int64_t x, std::int64_t y, std::int64_t z) {
    return values[static_cast<std::size_t>((z * extent.y + y) * extent.x + x)];
  }
  const Value& at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return values[static_cast<std::size_t>((z * extent.y + y) * extent.x + x)];
  }
};

template <typename Value>
Whole<Value> original(const Extent& extent) {
  Whole<Value> image(extent);
#pragma omp parallel for
  for (std::int64_t z = 0; z < extent.z; ++z)
    for (std::int64_t y = 0; y < extent.y; ++y)
      for (std::int64_t x = 0; x < extent.x; ++x)
        image.at(x, y, z) = stored<Value>(brightness(extent, x, y, z));
  return image;
}

// The median of the window of a point. value_at(x, y, z) knows every integer point.
template <typename Value, typename ValueAt>
Value sorted_median(const Window& window, std::int64_t x, std::int64_t y, std::int64_t z,
                    const ValueAt& value_at) {
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(window.points()));
  for (std::int64_t k = 0; k < window.z; ++k)
    for (std::int64_t j = 0; j < window.y; ++j)
      for (std::int64_t i = 0; i < window.x; ++i)
        values.push_back(value_at(x + i - Window::before(window.x),
                                  y + j - Window::before(window.y),
                                  z + k - Window::before(window.z)));
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(window.rank())];
}

// One pass over the planes of `share`; the others stay as they were made.
template <typename Value>
Whole<Value> filtered_once(const Whole<Value>& image, const Window& window, const Beyond& beyond,
                           const base::Share& share) {
  const auto value_at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t i = source_of(beyond.edge, x, image.extent.x),
                       j = source_of(beyond.edge, y, image.extent.y),
                       k = source_of(beyond.edge, z, image.extent.z);
    if (i == outside || j == outside || k == outside) return static_cast<Value>(beyond.value);
    return image.at(i, j, k);
  };
  Whole<Value> filtered(image.extent);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t z = share.first; z < share.end(); ++z)
    for (std::int64_t y = 0; y < image.extent.y; ++y)
      for (std::int64_t x = 0; x < image.extent.x; ++x)
        filtered.at(x, y, z) = sorted_median<Value>(window, x, y, z, value_at);
  return filtered;
}

// The planes of `share` of what all passes give.
template <typename Value>
Whole<Value> reference(const Problem& problem, const base::Share& share) {
  Whole<Value> image = original<Value>(problem.image);
  for (std::int64_t pass = 1; pass < problem.passes; ++pass)
    image = filtered_once(image, problem.window, problem.beyond, {0, problem.image.z});
  return filtered_once(image, problem.window, problem.beyond, share);
}

}  // namespace hakaru::apps::median_filter
