#include "apps/multiblock_flow/topology.hpp"

#include <algorithm>

namespace hakaru::apps::multiblock_flow {

Box intersection(const Box& a, const Box& b) {
  Box both;
  for (int axis = 0; axis < axes; ++axis) {
    both.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
    both.end[axis] = std::min(a.end[axis], b.end[axis]);
  }
  return both;
}

Box ghosts_of(const Box& box, int side, int layers) {
  Box ghosts = box;
  const int axis = axis_of(side);
  ghosts.begin[axis] = is_high(side) ? box.end[axis] : box.begin[axis] - layers;
  ghosts.end[axis] = ghosts.begin[axis] + layers;
  return ghosts;
}

Index Map::operator()(const Index& from) const {
  Index to;
  for (int a = 0; a < axes; ++a) to[a] = sign[a] * from[axis[a]] + offset[a];
  return to;
}

Box Map::operator()(const Box& from) const {
  Index last;
  for (int a = 0; a < axes; ++a) last[a] = from.end[a] - 1;
  const Index one = (*this)(from.begin), other = (*this)(last);
  Box to;
  for (int a = 0; a < axes; ++a) {
    to.begin[a] = std::min(one[a], other[a]);
    to.end[a] = std::max(one[a], other[a]) + 1;
  }
  return to;
}

Map Map::inverse() const {
  Map back;
  for (int a = 0; a < axes; ++a) {
    back.axis[axis[a]] = a;
    back.sign[axis[a]] = sign[a];
    back.offset[axis[a]] = -sign[a] * offset[a];
  }
  return back;
}

std::int64_t cells_of(const Topology& topology) {
  std::int64_t cells = 0;
  for (const Zone& zone : topology) cells += zone.box().cells();
  return cells;
}

std::array<int, 2> tangents(int side) {
  const int axis = axis_of(side);
  return {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
}

// The first cell beyond `side` is the last one before `other`, and further out is further in.
Map map_across(const Zone& from, int side, const Zone& to, int other, const Orientation& how) {
  Map map;
  const int a = axis_of(side), b = axis_of(other);
  const int beyond = is_high(side) ? from.cells[a] : -1;
  const int within = is_high(other) ? to.cells[b] - 1 : 0;
  map.axis[b] = a;
  map.sign[b] = is_high(side) == is_high(other) ? -1 : 1;
  map.offset[b] = within - map.sign[b] * beyond;
  const auto mine = tangents(side), theirs = tangents(other);
  for (int t = 0; t < 2; ++t) {
    const int source = mine[how.swapped ? 1 - t : t], target = theirs[t];
    map.axis[target] = source;
    map.sign[target] = how.backward[t] ? -1 : 1;
    map.offset[target] = how.backward[t] ? to.cells[target] - 1 : 0;
  }
  return map;
}

}  // namespace hakaru::apps::multiblock_flow
