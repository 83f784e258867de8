// Faces of zones that meet: how they lie on each other is found from their nodes.
#pragma once

#include "apps/multiblock_flow/problem.hpp"

namespace hakaru::apps::multiblock_flow {

// Makes `side` of zone a and `other` of zone b each other's neighbours; nodes of a, moved by
// `shift`, lie on those of b. Throws UserError(usage) when they do not meet: other numbers of
// cells, or nodes further apart than 1e-6 of the shortest edge there.
void join(Problem& problem, int a, int side, int b, int other, const Vector& shift);

}  // namespace hakaru::apps::multiblock_flow
