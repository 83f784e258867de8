// The four-dimensional lattice, how ranks divide it, and where a rank lies. Known without MPI.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace hakaru::apps::lattice_qcd {

// x, y, z, t in this order.
inline constexpr int axes = 4;
using Extents = std::array<int, axes>;
inline constexpr std::array<const char*, axes> axis_names = {"x", "y", "z", "t"};

// One step along an axis: forward is 2 axis, backward 2 axis + 1.
inline constexpr int directions = 2 * axes;
constexpr int axis_of(int direction) { return direction / 2; }
constexpr bool is_backward(int direction) { return direction % 2 == 1; }
constexpr int opposite(int direction) { return direction ^ 1; }

constexpr std::int64_t product(const Extents& extents) {
  std::int64_t result = 1;
  for (const int extent : extents) result *= extent;
  return result;
}

constexpr int parity_of(const Extents& x) { return (x[0] + x[1] + x[2] + x[3]) % 2; }

// The point number `index` of a box, x fastest.
constexpr Extents point_of(std::int64_t index, const Extents& box) {
  Extents x{};
  for (int axis = 0; axis < axes; ++axis) {
    x[axis] = static_cast<int>(index % box[axis]);
    index /= box[axis];
  }
  return x;
}

constexpr std::int64_t index_of(const Extents& x, const Extents& box) {
  std::int64_t index = 0;
  for (int axis = axes - 1; axis >= 0; --axis) index = index * box[axis] + x[axis];
  return index;
}

struct Lattice {
  Extents extents;            // sites of the whole lattice along each axis
  Extents ranks{1, 1, 1, 1};  // ranks along each axis

  std::int64_t sites() const { return product(extents); }
  Extents local() const;
  bool divided(int axis) const { return ranks[axis] > 1; }
  int divided_axes() const;
};

// Where a rank's box lies. Ranks are numbered along x first; all axes are periodic.
struct Place {
  Place(const Lattice& lattice, int rank);

  Lattice lattice;
  Extents local, first;                   // sites of the box, and its first one
  std::array<int, directions> neighbour;  // rank in each direction; itself along undivided axes

  Extents global(const Extents& x) const;
  std::int64_t global_index(const Extents& x) const { return index_of(global(x), lattice.extents); }
};

// Ranks along each axis with the fewest sites on the faces of a box, or why there are none.
// `wish`: ranks along an axis, 0 for any number.
struct Division {
  Extents ranks{};
  std::string refusal;
};
Division divide(const Extents& extents, int ranks, const Extents& wish);

}  // namespace hakaru::apps::lattice_qcd
