// The symmetries of a crystal, its grid and its Bloch vectors that leave a field along one axis
// alone.
#pragma once

#include <vector>

#include "apps/electrons/crystal.hpp"

namespace hakaru::apps::electrons {

// x' = R x + t, where R permutes the axes and changes signs, and t is a whole number of grid
// points.
struct Operation {
  std::array<int, 3> axis{0, 1, 2};  // x'_d = sign_d x_{axis_d} + shift_d
  std::array<int, 3> sign{1, 1, 1};
  Shape shift{};  // grid points, in [0, n)

  bool operator==(const Operation&) const = default;
};

// The space group of the crystal in its periodic cell, as far as it maps the grid and a
// Monkhorst-Pack mesh on themselves and leaves a vector along `direction` as it is: every rotation
// with all of its translations, those of the lattice inside the cell included. The identity is the
// first.
std::vector<Operation> symmetries(const Crystal& crystal, const CellGrid& grid, const Shape& mesh,
                                  int direction);

// First `right`, then `left`.
Operation product(const Operation& left, const Operation& right, const Shape& points);
Vector rotated(const Operation& operation, const Vector& vector);
Shape image(const Operation& operation, const Shape& point, const Shape& points);

// What is missing for the operations to be a group; without a group the mean over them is no
// projector, and a mean field that is symmetrised by it not that of any energy.
struct Missing {
  int products = 0;  // different ones that are none of the operations
  int inverses = 0;
};
Missing missing_of(const std::vector<Operation>& operations, const Shape& points);

// The mean over all operations: of a density on the grid, and of a vector.
void symmetrise(const CellGrid& grid, const std::vector<Operation>& operations, double* density);
Vector symmetrise(const std::vector<Operation>& operations, const Vector& vector);

}  // namespace hakaru::apps::electrons
