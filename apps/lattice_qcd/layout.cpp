#include "apps/lattice_qcd/layout.hpp"

#include <algorithm>

#include "native/base/require.hpp"

namespace hakaru::apps::lattice_qcd {

int lanes_for(const Extents& box, int most) {
  int cuts = 0;
  for (const int extent : box) cuts += extent % 4 == 0;
  for (const int lanes : {16, 8, 4})
    if (lanes <= most && lanes <= 1 << cuts) return lanes;
  return 1;
}

VectorLayout::VectorLayout(const Lattice& lattice, int lanes)
    : lanes_(lanes), half_(lattice.local()) {
  int bit = 0;
  // t first: its faces are contiguous, and x is the last to be cut, so that rows stay long.
  lane_bit_.fill(-1);
  for (int axis = axes - 1; axis >= 0 && 1 << bit < lanes; --axis) {
    if (half_[axis] % 4 != 0) continue;
    half_[axis] /= 2;
    lane_bit_[axis] = bit++;
  }
  HAKARU_EXPECTS(1 << bit == lanes);
  vectors_ = product(half_) / 2;
  HAKARU_EXPECTS(vectors_ < static_cast<std::int64_t>(index_mask));
  find_faces(lattice);
  for (const int parity : {0, 1}) find_neighbours(lattice, parity);
}

Slot VectorLayout::slot(const Extents& x) const {
  Extents r{};
  int lane = 0;
  for (int axis = 0; axis < axes; ++axis) {
    r[axis] = x[axis] % half_[axis];
    if (x[axis] >= half_[axis]) lane |= 1 << lane_bit_[axis];
  }
  return {parity_of(x), vector_of(r), lane};
}

Extents VectorLayout::reduced_point(int parity, std::int64_t vector) const {
  Extents r = point_of(2 * vector, half_);
  r[0] += (parity + parity_of(r)) % 2;
  return r;
}

Extents VectorLayout::point(const Slot& slot) const {
  Extents x = reduced_point(slot.parity, slot.vector);
  for (int axis = 0; axis < axes; ++axis)
    if (lane_bit_[axis] >= 0 && (slot.lane >> lane_bit_[axis] & 1)) x[axis] += half_[axis];
  return x;
}

// What comes from `direction` are the sites at the near end of the neighbour's box, which it sends
// in the opposite direction.
void VectorLayout::find_faces(const Lattice& lattice) {
  for (int direction = 0; direction < directions; ++direction) {
    const int axis = axis_of(direction), end = is_backward(direction) ? 0 : half_[axis] - 1;
    if (lattice.divided(axis))
      for (const int parity : {0, 1})
        for (std::int64_t vector = 0; vector < vectors_; ++vector)
          if (reduced_point(parity, vector)[axis] == end)
            faces_[parity][direction].push_back(static_cast<std::uint32_t>(vector));
    ghost_begin_[direction + 1] =
        ghost_begin_[direction] + static_cast<std::int64_t>(faces_[0][direction].size());
  }
}

std::uint32_t VectorLayout::neighbour(const Lattice& lattice, int parity, Extents r,
                                      int direction) const {
  const int axis = axis_of(direction), step = is_backward(direction) ? -1 : 1;
  const int to = r[axis] + step;
  const bool crosses = to < 0 || to == half_[axis];
  r[axis] = (to + half_[axis]) % half_[axis];
  const auto vector = static_cast<std::uint32_t>(vector_of(r));
  if (!crosses) return vector;
  if (lattice.divided(axis)) {
    const auto& face = faces_[1 - parity][opposite(direction)];
    const auto position = std::lower_bound(face.begin(), face.end(), vector) - face.begin();
    return ghost | static_cast<std::uint32_t>(ghost_begin_[direction] + position);
  }
  return lane_bit_[axis] >= 0 ? vector | exchanged : vector;
}

void VectorLayout::find_neighbours(const Lattice& lattice, int parity) {
  for (std::int64_t vector = 0; vector < vectors_; ++vector) {
    const Extents r = reduced_point(parity, vector);
    bool needs_ghost = false;
    for (int direction = 0; direction < directions; ++direction) {
      const std::uint32_t found = neighbour(lattice, parity, r, direction);
      needs_ghost = needs_ghost || (found & ghost);
      neighbours_[parity].push_back(found);
    }
    (needs_ghost ? border_ : inside_)[parity].push_back(static_cast<std::uint32_t>(vector));
  }
}

}  // namespace hakaru::apps::lattice_qcd
