// Faces and volumes of cells between nodes, so that the faces of a cell close: sum of S = 0.
#pragma once

#include <functional>

#include "apps/multiblock_flow/fields.hpp"

namespace hakaru::apps::multiblock_flow {

using Vector = std::array<double, 3>;
// A node of a zone: cell c lies between nodes c and c + 1.
using Nodes = std::function<Vector(const Index& node)>;

Metrics metrics_of(const Nodes& nodes, const Box& cells);
// Mean of the eight nodes.
Vector centre_of(const Nodes& nodes, const Index& cell);
// S of the face below a cell along an axis: half of the product of its diagonals.
Vector face_vector(const Nodes& nodes, const Index& cell, int axis);
double volume_of(const Nodes& nodes, const Index& cell);

}  // namespace hakaru::apps::multiblock_flow
