// The points of the grid around an atom, in an order that vectors read without an index for each.
//
// A run of neighbouring points is covered by windows of four points that follow each other along z;
// points of a window that do not belong to the sphere have the value zero in every projector. Two
// windows make a block. Its eight entries take the windows in turn, so that one exchange of
// neighbouring numbers separates real and imaginary parts of two vectors of complex numbers:
//   entry 2 i: point i of the first window;  entry 2 i + 1: point i of the second.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/electrons/cell_grid.hpp"
#include "apps/electrons/line_vector.hpp"

namespace hakaru::apps::electrons {

inline constexpr std::size_t window_points = 4, block_points = 8, block_windows = 2;

// What atoms have in common that lie alike between the points of the grid.
struct Sphere {
  std::size_t points = 0;  // that belong to it
  std::size_t blocks = 0;
  std::vector<char> inside;      // [block][entry], whether the entry's point belongs to it
  LineVector<double> x, y, z;    // [block][entry], from the atom, nearest image, bohr; 0 outside
  LineVector<double> values;     // [block][projector][entry], times the square root of dv
  std::vector<double> strength;  // [projector], hartree
  // For the phases: distances from the atom by point of each axis, and each entry's point.
  std::array<std::vector<double>, 3> distance;
  std::vector<std::array<std::uint32_t, 3>> place;

  std::size_t projectors() const { return strength.size(); }
  std::size_t entries() const { return blocks * block_points; }
  // Cosines of a block's entries, then their sines: [block][2][entry].
  std::size_t phase_numbers() const { return 2 * entries(); }
};

// A sphere without projectors, and the first point of each window, [block][2].
struct Covered {
  Sphere sphere;
  std::vector<std::uint32_t> windows;
};
Covered cover(const CellGrid& grid, const Vector& place, double radius);

// Number of points within the radius.
std::size_t points_within(const CellGrid& grid, const Vector& place, double radius);

// Whether the entries of both lie at the same distances.
bool alike(const Sphere& a, const Sphere& b);

// Appends a projector to every block from its values on the grid.
void add_projector(Sphere& sphere, const CellGrid& grid, const std::vector<double>& on_grid,
                   double strength);

// exp(-iK(r - R)) of all entries.
void set_phases(const Sphere& sphere, const Vector& wave_vector, double* phases);

}  // namespace hakaru::apps::electrons
