// Memory layout of the planes that one rank holds, with what lies around them.
#pragma once

#include <cstdint>

#include "apps/median_filter/problem.hpp"

namespace hakaru::apps::median_filter {

// In values. A row holds the points along x between those that a window reaches beyond the edges,
// and is filled up so that whole vectors may be read and written behind its last point.
struct Shape {
  Extent extent;  // own points: whole rows and columns, the rank's planes
  Window window;
  std::int64_t lead = 0;   // from the begin of a row to its first own point
  std::int64_t pitch = 0;  // from row to row
  std::int64_t plane = 0;  // from plane to plane
  std::int64_t values = 0;

  Shape() = default;
  Shape(const Extent& extent, const Window& window, std::int64_t value_bytes);

  // Of a point, own or beyond an edge.
  std::int64_t index(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (z + Window::before(window.z)) * plane + (y + Window::before(window.y)) * pitch + lead +
           x;
  }
  // First and last row and plane that a window reaches.
  std::int64_t first_row() const { return -Window::before(window.y); }
  std::int64_t last_row() const { return extent.y - 1 + Window::after(window.y); }
  std::int64_t first_plane() const { return -Window::before(window.z); }
  std::int64_t last_plane() const { return extent.z - 1 + Window::after(window.z); }
};

// Continues the own planes beyond their edges along x and y. By all threads.
template <typename Value>
void continue_planes(Value* image, const Shape& shape, const Beyond& beyond);

// Copies own planes, or fills with the constant (`source` is outside), planes beyond the edges.
template <typename Value>
void continue_along_z(Value* image, const Shape& shape, const Beyond& beyond, std::int64_t first,
                      std::int64_t source, std::int64_t count);

}  // namespace hakaru::apps::median_filter
