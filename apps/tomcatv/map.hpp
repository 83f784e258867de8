// Meshes that are known: where a mesh point of the unit square of (xi, eta) lies in the plane.
#pragma once

#include <complex>
#include <cstdint>

namespace hakaru::apps::tomcatv {

using Point = std::complex<double>;  // x + i y

// sector: z = exp(0.7 xi - 0.3 eta + i eta), whose xi(x, y) and eta(x, y) are harmonic, so that it
// solves the equations of the mesh exactly; its lines do not meet at right angles. square:
// z = xi + i eta, of which the differences are exact too.
enum class Map { sector, square };

Point place(Map map, double xi, double eta);

// Point (i, j) of an n x n mesh whose edges are the map's and whose inside is interpolated between
// them (transfinite interpolation): where the iteration starts.
Point interpolated(Map map, std::int64_t n, std::int64_t i, std::int64_t j);

}  // namespace hakaru::apps::tomcatv
