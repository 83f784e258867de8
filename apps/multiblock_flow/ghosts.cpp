#include "apps/multiblock_flow/ghosts.hpp"

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
  for_cells(transfer.ghosts, [&](const Index& ghost) {
    const State one = state.get(within(from, transfer.map(ghost)));
    for (const double number : one) *numbers++ = number;
  });
  return numbers;
}

const double* unpack(const Transfer& transfer, const Local& to, Cells& state,
                     const double* numbers) {
  for_cells(transfer.ghosts, [&](const Index& ghost) {
    State one;
    for (double& number : one) number = *numbers++;
    state.set(within(to, ghost), one);
  });
  return numbers;
}

void copy(const Transfer& transfer, const Local& from, const Cells& source, const Local& to,
          Cells& target) {
  for_cells(transfer.ghosts, [&](const Index& ghost) {
    target.set(within(to, ghost), source.get(within(from, transfer.map(ghost))));
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
