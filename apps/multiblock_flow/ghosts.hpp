// Ghost cells: from other blocks, through messages or not, and at the boundaries of the flow.
#pragma once

#include "apps/multiblock_flow/solver.hpp"

namespace hakaru::apps::multiblock_flow {

// The cells that are wanted: rows of ghosts along i, for each the five unknowns one after the
// other.
double* pack(const Transfer& transfer, const Local& from, const Cells& state, double* numbers);
const double* unpack(const Transfer& transfer, const Local& to, Cells& state,
                     const double* numbers);
void copy(const Transfer& transfer, const Local& from, const Cells& source, const Local& to,
          Cells& target);
// On all sides of the block where the zone ends and meets no other.
void apply_boundaries(const Zone& zone, const Local& block, const State& inflow, int layers,
                      Cells& state);

}  // namespace hakaru::apps::multiblock_flow
