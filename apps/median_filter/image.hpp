// An image of one rank: its planes with what lies around them, in pages of a chosen kind.
#pragma once

#include "apps/median_filter/pages.hpp"
#include "apps/median_filter/slab.hpp"
#include "native/base/share.hpp"

namespace hakaru::apps::median_filter {

template <typename Value>
class Image {
 public:
  Image() = default;
  Image(const Shape& shape, Pages pages)
      : mapping_(static_cast<std::size_t>(shape.values) * sizeof(Value), pages) {}

  Value* data() { return static_cast<Value*>(mapping_.data()); }
  const Value* data() const { return static_cast<const Value*>(mapping_.data()); }
  const Mapping& mapping() const { return mapping_; }

 private:
  Mapping mapping_;
};

// First touched by the threads that filter the planes: brightness of the whole image's points, or
// zero where `image` has none.
template <typename Value>
void fill(Image<Value>& target, const Shape& shape, const Extent& image, std::int64_t first_plane) {
#pragma omp parallel for schedule(static)
  for (std::int64_t z = shape.first_plane(); z <= shape.last_plane(); ++z) {
    Value* plane = target.data() + shape.index(-shape.lead, shape.first_row(), z);
    std::fill_n(plane, shape.plane, Value{});
    if (z < 0 || z >= shape.extent.z) continue;
    for (std::int64_t y = 0; y < shape.extent.y; ++y)
      for (std::int64_t x = 0; x < shape.extent.x; ++x)
        target.data()[shape.index(x, y, z)] =
            stored<Value>(brightness(image, x, y, first_plane + z));
  }
}

}  // namespace hakaru::apps::median_filter
