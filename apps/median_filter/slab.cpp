#include "apps/median_filter/slab.hpp"

#include <algorithm>

namespace hakaru::apps::median_filter {
namespace {

constexpr std::int64_t line_bytes = 64;
// Rows whose distance is a multiple of it meet in few sets of a cache.
constexpr std::int64_t crowded_bytes = 512;

std::int64_t rounded_up(std::int64_t length, std::int64_t unit) {
  return (length + unit - 1) / unit * unit;
}

template <typename Value>
void continue_row(Value* row, const Shape& shape, const Beyond& beyond) {
  const std::int64_t points = shape.extent.x, end = points + Window::after(shape.window.x);
  const auto value_at = [&](std::int64_t x) {
    const std::int64_t source = source_of(beyond.edge, x, points);
    return source == outside ? static_cast<Value>(beyond.value) : row[source];
  };
  for (std::int64_t x = -Window::before(shape.window.x); x < 0; ++x) row[x] = value_at(x);
  for (std::int64_t x = points; x < end; ++x) row[x] = value_at(x);
}

}  // namespace

Shape::Shape(const Extent& extent_, const Window& window_, std::int64_t value_bytes)
    : extent(extent_), window(window_) {
  const std::int64_t line = line_bytes / value_bytes;
  lead = rounded_up(Window::before(window.x), line);
  pitch = lead + rounded_up(extent.x, line) + rounded_up(Window::after(window.x), line);
  if (pitch * value_bytes % crowded_bytes == 0) pitch += line;
  plane = pitch * (extent.y + window.y - 1);
  values = plane * (extent.z + window.z - 1);
}

template <typename Value>
void continue_planes(Value* image, const Shape& shape, const Beyond& beyond) {
  const std::int64_t rows = shape.extent.y;
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < shape.extent.z; ++z) {
    for (std::int64_t y = 0; y < rows; ++y)
      continue_row(image + shape.index(0, y, z), shape, beyond);
    for (std::int64_t y = shape.first_row(); y <= shape.last_row(); ++y) {
      if (0 <= y && y < rows) continue;
      const std::int64_t source = source_of(beyond.edge, y, rows);
      Value* row = image + shape.index(-shape.lead, y, z);
      if (source == outside)
        std::fill_n(row, shape.pitch, static_cast<Value>(beyond.value));
      else
        std::copy_n(image + shape.index(-shape.lead, source, z), shape.pitch, row);
    }
  }
}

template <typename Value>
void continue_along_z(Value* image, const Shape& shape, const Beyond& beyond, std::int64_t first,
                      std::int64_t source, std::int64_t count) {
  Value* target = image + shape.index(-shape.lead, shape.first_row(), first);
  if (source == outside)
    std::fill_n(target, count * shape.plane, static_cast<Value>(beyond.value));
  else
    std::copy_n(image + shape.index(-shape.lead, shape.first_row(), source), count * shape.plane,
                target);
}

template void continue_planes(std::int32_t*, const Shape&, const Beyond&);
template void continue_planes(float*, const Shape&, const Beyond&);
template void continue_planes(double*, const Shape&, const Beyond&);
template void continue_along_z(std::int32_t*, const Shape&, const Beyond&, std::int64_t,
                               std::int64_t, std::int64_t);
template void continue_along_z(float*, const Shape&, const Beyond&, std::int64_t, std::int64_t,
                               std::int64_t);
template void continue_along_z(double*, const Shape&, const Beyond&, std::int64_t, std::int64_t,
                               std::int64_t);

}  // namespace hakaru::apps::median_filter
