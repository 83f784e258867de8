#include "apps/electrons/symmetry.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::electrons {
namespace {

constexpr double same_place = 1e-6;  // bohr

int wrapped(int place, int points) { return (place % points + points) % points; }

double off_lattice(double distance, double length) {
  return std::abs(distance - length * std::round(distance / length));
}

// x - R y
Vector apart(const Operation& operation, const Vector& x, const Vector& y) {
  const Vector image = rotated(operation, y);
  return {x[0] - image[0], x[1] - image[1], x[2] - image[2]};
}

bool maps_atoms(const Crystal& crystal, const Operation& operation, const Vector& shift) {
  return std::ranges::all_of(crystal.atoms, [&](const Atom& from) {
    return std::ranges::any_of(crystal.atoms, [&](const Atom& to) {
      const Vector rest = apart(operation, to.place, from.place);
      bool same = to.species == from.species;
      for (int d = 0; d < 3; ++d)
        same = same && off_lattice(rest[d] - shift[d], crystal.lengths[d]) < same_place;
      return same;
    });
  });
}

// The shift in grid points when it is a whole number of them.
bool on_grid(const CellGrid& grid, const Vector& shift, Shape& points) {
  for (int d = 0; d < 3; ++d) {
    const double steps = shift[d] / grid.spacing(d);
    if (std::abs(steps - std::round(steps)) > 1e-6) return false;
    points[d] = wrapped(static_cast<int>(std::lround(steps)), grid.points[d]);
  }
  return true;
}

// Those that map the cell, the grid and the mesh on themselves: axes are exchanged only where all
// three are square.
std::vector<Operation> rotations(const CellGrid& grid, const Shape& mesh, int direction) {
  const int u = (direction + 1) % 3, v = (direction + 2) % 3;
  const bool square = grid.points[u] == grid.points[v] && mesh[u] == mesh[v] &&
                      std::abs(grid.lengths[u] - grid.lengths[v]) < same_place;
  std::vector<Operation> result;
  for (const bool swapped : {false, true})
    for (const int first : {1, -1})
      for (const int second : {1, -1}) {
        if (swapped && !square) continue;
        Operation operation;
        if (swapped) std::swap(operation.axis[u], operation.axis[v]);
        operation.sign[u] = first, operation.sign[v] = second;
        result.push_back(operation);
      }
  return result;
}

}  // namespace

std::vector<Operation> symmetries(const Crystal& crystal, const CellGrid& grid, const Shape& mesh,
                                  int direction) {
  std::vector<Operation> result;
  for (Operation operation : rotations(grid, mesh, direction))
    for (const Atom& to : crystal.atoms) {
      const Vector shift = apart(operation, to.place, crystal.atoms[0].place);
      if (maps_atoms(crystal, operation, shift) && on_grid(grid, shift, operation.shift))
        result.push_back(operation);
    }
  return result;
}

Vector rotated(const Operation& operation, const Vector& vector) {
  Vector result;
  for (int d = 0; d < 3; ++d) result[d] = operation.sign[d] * vector[operation.axis[d]];
  return result;
}

Shape image(const Operation& operation, const Shape& point, const Shape& points) {
  Shape result;
  for (int d = 0; d < 3; ++d)
    result[d] =
        wrapped(operation.sign[d] * point[operation.axis[d]] + operation.shift[d], points[d]);
  return result;
}

Operation product(const Operation& left, const Operation& right, const Shape& points) {
  Operation result;
  for (int d = 0; d < 3; ++d) {
    result.axis[d] = right.axis[left.axis[d]];
    result.sign[d] = left.sign[d] * right.sign[left.axis[d]];
  }
  result.shift = image(left, right.shift, points);
  return result;
}

Missing missing_of(const std::vector<Operation>& operations, const Shape& points) {
  auto among = [](const std::vector<Operation>& all, const Operation& one) {
    return std::ranges::find(all, one) != all.end();
  };
  std::vector<Operation> strange;
  Missing missing;
  for (const Operation& left : operations) {
    bool inverse = false;
    for (const Operation& right : operations) {
      const Operation both = product(left, right, points);
      inverse = inverse || both == Operation{};
      if (!among(operations, both) && !among(strange, both)) strange.push_back(both);
    }
    if (!inverse) ++missing.inverses;
  }
  missing.products = static_cast<int>(strange.size());
  return missing;
}

namespace {

// Index of the image of (x, y, 0), and of each z from there, without a division a point.
class Images {
 public:
  Images(const CellGrid& grid, const Operation& operation) {
    std::size_t stride[3] = {grid.index(1, 0, 0), grid.index(0, 1, 0), 1};
    for (int d = 0; d < 3; ++d) {
      const int from = operation.axis[d], n = grid.points[d];
      along_[from].resize(grid.points[from]);
      for (int x = 0; x < grid.points[from]; ++x)
        along_[from][x] = stride[d] * wrapped(operation.sign[d] * x + operation.shift[d], n);
    }
  }
  const std::vector<std::size_t>& along(int axis) const { return along_[axis]; }

 private:
  std::array<std::vector<std::size_t>, 3> along_;
};

}  // namespace

void symmetrise(const CellGrid& grid, const std::vector<Operation>& operations, double* density) {
  if (operations.size() < 2) return;
  std::vector<double> sum(grid.size(), 0.0);
  for (const Operation& operation : operations) {
    const Images images(grid, operation);
    double* to = sum.data();
    for (const std::size_t x : images.along(0))
      for (const std::size_t y : images.along(1))
        for (const std::size_t z : images.along(2)) *to++ += density[x + y + z];
  }
  const double count = static_cast<double>(operations.size());
  for (std::size_t i = 0; i < sum.size(); ++i) density[i] = sum[i] / count;
}

Vector symmetrise(const std::vector<Operation>& operations, const Vector& vector) {
  Vector mean{};
  for (const Operation& operation : operations) {
    const Vector image = rotated(operation, vector);
    for (int d = 0; d < 3; ++d) mean[d] += image[d] / double(operations.size());
  }
  return mean;
}

}  // namespace hakaru::apps::electrons
