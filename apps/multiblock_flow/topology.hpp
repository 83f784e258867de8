// Zones of cells, structured grids by themselves, and which face of each meets which of another.
// No coordinates and no MPI.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hakaru::apps::multiblock_flow {

inline constexpr int axes = 3, sides = 6;
using Index = std::array<int, axes>;

// i-, i+, j-, j+, k-, k+
inline constexpr const char* side_names[sides] = {"i-", "i+", "j-", "j+", "k-", "k+"};
constexpr int axis_of(int side) { return side / 2; }
constexpr bool is_high(int side) { return side % 2 == 1; }

// Cells begin <= c < end.
struct Box {
  Index begin{}, end{};
  int size(int axis) const { return end[axis] - begin[axis]; }
  std::int64_t cells() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < axes; ++axis) product *= size(axis) > 0 ? size(axis) : 0;
    return product;
  }
};
Box intersection(const Box& a, const Box& b);
// The cells outside of `box` next to its side.
Box ghosts_of(const Box& box, int side, int layers);

// Cells of one zone as cells of another: to[a] = sign[a] from[axis[a]] + offset[a].
struct Map {
  Index axis{0, 1, 2}, sign{1, 1, 1}, offset{0, 0, 0};
  Index operator()(const Index& from) const;
  Box operator()(const Box& from) const;
  Map inverse() const;
};

// joined: the neighbour's cells; outflow: the nearest cell's state; wall: the state mirrored at the
// face; inflow: a given state.
enum class Boundary { joined, outflow, wall, inflow };

struct Face {
  Boundary boundary = Boundary::outflow;
  int zone = 0;  // the neighbour, when joined
  Map map;       // of cells beyond this face, in this zone's indices, to the neighbour's cells
};

struct Zone {
  Index cells;
  std::array<Face, sides> faces;
  Box box() const { return {{0, 0, 0}, cells}; }
};
using Topology = std::vector<Zone>;

std::int64_t cells_of(const Topology& topology);

// The map beyond `side` of `from` into `to`, whose side `other` it meets: tangential axes in order,
// or swapped, each forward or backward.
struct Orientation {
  bool swapped = false;
  std::array<bool, 2> backward{};
};
Map map_across(const Zone& from, int side, const Zone& to, int other, const Orientation& how);
// The two axes along a side, in order.
std::array<int, 2> tangents(int side);

}  // namespace hakaru::apps::multiblock_flow
