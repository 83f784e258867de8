// Three-dimensional arrays divided into blocks along one axis, x fastest, and the strided transfers
// by which an array divided along one axis becomes one divided along another. No MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "native/base/share.hpp"

namespace hakaru::parallel {

enum Axis : int { along_x, along_y, along_z };

// Gaps in elements after each row and each plane, where a row has a multiple of `multiple`
// elements: lines across would meet the same cache sets again and again.
struct Padding {
  std::int64_t multiple = 1, row = 0, plane = 0;
};

struct Slab {
  std::array<std::int64_t, 3> n;  // of the whole array
  Axis divided;
  int ranks;
  Padding padding = {};

  base::Share range(int rank, Axis axis) const {
    return axis == divided ? base::share_of(n[axis], rank, ranks) : base::Share{0, n[axis]};
  }
  std::int64_t count(int rank, Axis axis) const { return range(rank, axis).count; }
  // Own points that are not on the boundary; `first` counts from the first own point.
  base::Share inner(int rank, Axis axis) const {
    const base::Share all = range(rank, axis);
    const std::int64_t first = std::max<std::int64_t>(all.first, 1);
    return {first - all.first, std::max<std::int64_t>(0, std::min(all.end(), n[axis] - 1) - first)};
  }
  // Elements from a point to the next one along the axis.
  std::int64_t step(int rank, Axis axis) const {
    if (axis == along_x) return 1;
    const std::int64_t x = count(rank, along_x);
    const bool gaps = x % padding.multiple == 0;
    const std::int64_t row = x + (gaps ? padding.row : 0);
    return axis == along_y ? row : row * count(rank, along_y) + (gaps ? padding.plane : 0);
  }
  std::int64_t elements(int rank) const { return step(rank, along_z) * count(rank, along_z); }
  // The largest share of any rank, so that arrays begin at the same address everywhere.
  std::int64_t most_elements() const {
    std::int64_t most = 0;
    for (int rank = 0; rank < ranks; ++rank) most = std::max(most, elements(rank));
    return most;
  }
  double points(int rank) const {
    return static_cast<double>(count(rank, along_x)) * static_cast<double>(count(rank, along_y)) *
           static_cast<double>(count(rank, along_z));
  }
  double inner_points(int rank) const {
    return static_cast<double>(inner(rank, along_x).count) *
           static_cast<double>(inner(rank, along_y).count) *
           static_cast<double>(inner(rank, along_z).count);
  }
};

// One one-dimensional stride of a move, from the sender's array to the receiver's; in bytes from
// the beginning of each array.
struct SlabTransfer {
  std::int64_t source, source_step, target, target_step, item_bytes, items;
  std::int64_t bytes() const { return item_bytes * items; }
};

// From an array divided along one axis to one divided along another.
struct SlabRoute {
  // rows: one transfer for each plane of the sender and each receiver, its items the rows along the
  // third axis, which is x. lines: one for each pair of planes and each part of an element, along
  // the third axis.
  enum class Pieces { rows, lines };

  Slab from, to;
  std::int64_t element;  // B of a point
  Pieces pieces = Pieces::rows;
  int parts = 1;  // of an element, of equal size, that lines carry apart

  Axis third() const { return static_cast<Axis>(3 - from.divided - to.divided); }

  // Number of transfers a rank sends, or receives, to and from all ranks and itself.
  std::int64_t sent(int rank) const {
    const std::int64_t planes = from.count(rank, from.divided);
    return pieces == Pieces::rows ? planes * from.ranks : parts * planes * to.n[to.divided];
  }
  std::int64_t received(int rank) const {
    const std::int64_t planes = from.n[from.divided];
    return pieces == Pieces::rows ? planes : parts * planes * to.count(rank, to.divided);
  }
};

// The transfers between one pair of ranks, one after the other.
template <typename Visit>
void visit_pair(const SlabRoute& route, int sender, int receiver, const Visit& visit) {
  const Slab &from = route.from, &to = route.to;
  const Axis a = from.divided, b = to.divided, c = route.third();
  const base::Share mine = from.range(sender, a), theirs = to.range(receiver, b);
  const std::int64_t e = route.element, part_bytes = e / route.parts;
  for (std::int64_t i = 0; i < mine.count; ++i) {
    const std::int64_t source = i * from.step(sender, a) + theirs.first * from.step(sender, b);
    const std::int64_t target = (mine.first + i) * to.step(receiver, a);
    if (route.pieces == SlabRoute::Pieces::rows) {
      visit(SlabTransfer{e * source, e * from.step(sender, b), e * target, e * to.step(receiver, b),
                         e * from.n[c], theirs.count});
      continue;
    }
    for (std::int64_t j = 0; j < theirs.count; ++j)
      for (int part = 0; part < route.parts; ++part)
        visit(SlabTransfer{e * (source + j * from.step(sender, b)) + part * part_bytes,
                           e * from.step(sender, c),
                           e * (target + j * to.step(receiver, b)) + part * part_bytes,
                           e * to.step(receiver, c), part_bytes, from.n[c]});
  }
}

}  // namespace hakaru::parallel
