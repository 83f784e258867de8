#include "apps/multiblock_flow/ghosts.hpp"

#include <algorithm>

namespace hakaru::apps::multiblock_flow {
namespace {

// `use(cell)` for all cells of a box, i fastest.
template <typename Use>
void for_cells(const Box& box, const Use& use) {
  for (int k = box.begin[2]; k < box.end[2]; ++k)
    for (int j = box.begin[1]; j < box.end[1]; ++j)
      for (int i = box.begin[0]; i < box.end[0]; ++i) use(Index{i, j, k});
}

Index within(const Local& local, Index cell) {
  for (int axis = 0; axis < axes; ++axis) cell[axis] -= local.block.cells.begin[axis];
  return cell;
}

// `use(cell)` for the first cell of each row along i of a box.
template <typename Use>
void for_rows(Box box, const Use& use) {
  box.end[0] = box.begin[0] + 1;
  for_cells(box, use);
}

// The cells of a block that a row of ghosts are: along any of its axes, forward or backward.
class Source {
 public:
  Source(const Transfer& transfer, const Local& from, const Cells& state, const Index& first)
      : row_(state.row()) {
    const Index at = within(from, transfer.map(first));
    begin_ = state.at(0, at[0], at[1], at[2]);
    for (int axis = 0; axis < axes; ++axis)
      if (transfer.map.axis[axis] == 0) step_ = transfer.map.sign[axis] * state.step(axis);
  }
  void copy(int unknown, int count, double* to) const {
    const double* from = begin_ + unknown * row_;
    for (int i = 0; i < count; ++i) to[i] = from[i * step_];
  }

 private:
  const double* begin_;
  std::ptrdiff_t row_, step_ = 1;
};

// The state on the other side of a wall: momentum across the wall turned round.
State mirrored(State state, const Metrics& metrics, const Index& face, int axis) {
  double across = 0.0;
  for (int a = 0; a < axes; ++a)
    across += state[1 + a] * *metrics.at(4 * axis + a, face[0], face[1], face[2]);
  for (int a = 0; a < axes; ++a)
    state[1 + a] -= 2.0 * across * *metrics.at(4 * axis + a, face[0], face[1], face[2]);
  return state;
}

}  // namespace

double* pack(const Transfer& transfer, const Local& from, const Cells& state, double* numbers) {
  const int count = transfer.ghosts.size(0);
  for_rows(transfer.ghosts, [&](const Index& first) {
    const Source source(transfer, from, state, first);
    for (int u = 0; u < unknowns; ++u, numbers += count) source.copy(u, count, numbers);
  });
  return numbers;
}

const double* unpack(const Transfer& transfer, const Local& to, Cells& state,
                     const double* numbers) {
  const int count = transfer.ghosts.size(0);
  for_rows(transfer.ghosts, [&](const Index& first) {
    const Index at = within(to, first);
    for (int u = 0; u < unknowns; ++u, numbers += count)
      std::copy_n(numbers, count, state.at(u, at[0], at[1], at[2]));
  });
  return numbers;
}

void copy(const Transfer& transfer, const Local& from, const Cells& source, const Local& to,
          Cells& target) {
  for_rows(transfer.ghosts, [&](const Index& first) {
    const Source row(transfer, from, source, first);
    const Index at = within(to, first);
    for (int u = 0; u < unknowns; ++u)
      row.copy(u, transfer.ghosts.size(0), target.at(u, at[0], at[1], at[2]));
  });
}

void apply_boundaries(const Zone& zone, const Local& local, const State& inflow, int layers,
                      Cells& state) {
  const Box own{{0, 0, 0}, local.cells};
  for (int side = 0; side < sides; ++side) {
    const int axis = axis_of(side), n = local.cells[axis];
    const bool at_end = is_high(side) ? local.block.cells.end[axis] == zone.cells[axis]
                                      : local.block.cells.begin[axis] == 0;
    const Boundary boundary = zone.faces[side].boundary;
    if (!at_end || boundary == Boundary::joined) continue;
    for_cells(ghosts_of(own, side, layers), [&](const Index& ghost) {
      Index nearest = ghost, mirror = ghost, face = ghost;
      nearest[axis] = is_high(side) ? n - 1 : 0;
      face[axis] = is_high(side) ? n : 0;
      mirror[axis] =
          is_high(side) ? std::max(2 * n - 1 - ghost[axis], 0) : std::min(-1 - ghost[axis], n - 1);
      state.set(ghost, boundary == Boundary::outflow ? state.get(nearest)
                       : boundary == Boundary::inflow
                           ? inflow
                           : mirrored(state.get(mirror), local.metrics, face, axis));
    });
  }
}

}  // namespace hakaru::apps::multiblock_flow
