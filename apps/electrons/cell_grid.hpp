// The periodic cell and its real-space grid. Atomic units everywhere: bohr, hartree, hbar = m = 1.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hakaru::apps::electrons {

using Complex = std::complex<double>;
using Vector = std::array<double, 3>;
using Shape = std::array<int, 3>;

inline double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// An orthorhombic cell. Point (i, j, k) is at (i h0, j h1, k h2) and has the index
// (i n1 + j) n2 + k: the last axis is contiguous.
struct CellGrid {
  Shape points{};
  Vector lengths{};  // bohr

  std::size_t size() const {
    return static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
           static_cast<std::size_t>(points[2]);
  }
  double volume() const { return lengths[0] * lengths[1] * lengths[2]; }
  double spacing(int axis) const { return lengths[axis] / points[axis]; }
  double cell_volume() const { return volume() / static_cast<double>(size()); }
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(i) * points[1] + j) * points[2] + k;
  }
  // Wavenumber of the frequency `f` in [0, n): the negative ones lie in the upper half.
  double wavenumber(int axis, int f) const;
};

// Calls body(index, G) for every reciprocal vector of the grid, in the order of the points.
template <typename Body>
void for_each_g(const CellGrid& grid, Body&& body) {
  std::size_t at = 0;
  for (int i = 0; i < grid.points[0]; ++i)
    for (int j = 0; j < grid.points[1]; ++j)
      for (int k = 0; k < grid.points[2]; ++k)
        body(at++, Vector{grid.wavenumber(0, i), grid.wavenumber(1, j), grid.wavenumber(2, k)});
}

// The mean of value(G) over both signs of the components at the edge of the grid, 2 f = n, which
// the points cannot tell from each other: what is made from a crystal keeps the crystal's symmetry.
template <typename Value>
Complex mean_over_edges(const CellGrid& grid, const Vector& g, Value&& value) {
  bool edge[3];
  for (int d = 0; d < 3; ++d)
    edge[d] = std::abs(g[d]) > std::abs(grid.wavenumber(d, 1)) * (0.5 * grid.points[d] - 0.25);
  Complex sum = 0.0;
  double count = 0.0;
  for (int flips = 0; flips < 8; ++flips) {
    Vector turned = g;
    bool possible = true;
    for (int d = 0; d < 3; ++d)
      if (flips >> d & 1) turned[d] = -g[d], possible = possible && edge[d];
    if (possible) sum += value(turned), count += 1.0;
  }
  return sum / count;
}

}  // namespace hakaru::apps::electrons
