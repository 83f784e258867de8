#include "apps/multiblock_flow/geometry.hpp"

#include <fmt/format.h>

#include <cmath>

#include "native/base/require.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

Vector difference(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Corners of the face below a cell along an axis, around it.
std::array<Vector, 4> corners(const Nodes& nodes, const Index& cell, int axis) {
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  Index at = cell;
  std::array<Vector, 4> found;
  found[0] = nodes(at);
  ++at[b], found[1] = nodes(at);
  ++at[c], found[2] = nodes(at);
  --at[b], found[3] = nodes(at);
  return found;
}

}  // namespace

Vector face_vector(const Nodes& nodes, const Index& cell, int axis) {
  const auto x = corners(nodes, cell, axis);
  const Vector d = difference(x[2], x[0]), e = difference(x[3], x[1]);
  return {0.5 * (d[1] * e[2] - d[2] * e[1]), 0.5 * (d[2] * e[0] - d[0] * e[2]),
          0.5 * (d[0] * e[1] - d[1] * e[0])};
}

Vector centre_of(const Nodes& nodes, const Index& cell) {
  Vector sum{};
  for (int corner = 0; corner < 8; ++corner) {
    const Vector x =
        nodes({cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2 & 1)});
    for (int a = 0; a < 3; ++a) sum[a] += 0.125 * x[a];
  }
  return sum;
}

// V = 1/3 sum over faces of (mean of the corners) . S, outward; since sum S = 0 the origin is free.
double volume_of(const Nodes& nodes, const Index& cell) {
  const Vector origin = centre_of(nodes, cell);
  double volume = 0.0;
  for (int axis = 0; axis < axes; ++axis) {
    double through = 0.0;
    for (const int above : {0, 1}) {
      Index at = cell;
      at[axis] += above;
      Vector mean{};
      for (const Vector& corner : corners(nodes, at, axis))
        for (int a = 0; a < 3; ++a) mean[a] += 0.25 * corner[a];
      const double part = dot(difference(mean, origin), face_vector(nodes, at, axis));
      through += above ? part : -part;
    }
    volume += through;
  }
  return volume / 3.0;
}

Metrics metrics_of(const Nodes& nodes, const Box& cells) {
  const Index n{cells.size(0), cells.size(1), cells.size(2)};
  Metrics metrics(n);
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i) {
        const Index cell{cells.begin[0] + i, cells.begin[1] + j, cells.begin[2] + k};
        const Index here{i, j, k};
        bool inside = true;
        for (int axis = 0; axis < axes; ++axis) {
          inside = inside && here[axis] < n[axis];
          // A face has its row and column of cells.
          if (here[(axis + 1) % 3] == n[(axis + 1) % 3] ||
              here[(axis + 2) % 3] == n[(axis + 2) % 3])
            continue;
          const Vector s = face_vector(nodes, cell, axis);
          const double area = std::sqrt(dot(s, s));
          for (int a = 0; a < 3; ++a)
            *metrics.at(4 * axis + a, i, j, k) = area > 0.0 ? s[a] / area : 0.0;
          *metrics.at(4 * axis + 3, i, j, k) = area;
        }
        if (!inside) continue;
        const double volume = volume_of(nodes, cell);
        base::require(volume > 0.0 && std::isfinite(volume),
                      fmt::format("cell {} {} {} of the grid has a volume of {:.3g}", cell[0] + 1,
                                  cell[1] + 1, cell[2] + 1, volume),
                      "its nodes are folded, in a left-handed order, or not finite",
                      "check the grid");
        *metrics.at(inverse_volume, i, j, k) = 1.0 / volume;
      }
  return metrics;
}

}  // namespace hakaru::apps::multiblock_flow
