#include "apps/multiblock_flow/problem.hpp"

#include <cmath>
#include <numbers>

namespace hakaru::apps::multiblock_flow {
namespace {

using std::numbers::pi;

constexpr double strength = 5.0;  // of the vortex
constexpr Gas sod_left{1.0, {0.0, 0.0, 0.0}, 1.0}, sod_right{0.125, {0.0, 0.0, 0.0}, 0.1};

Face joined_to_itself(int side, int cells) {
  Face face{Boundary::joined, 0, {}};
  face.map.offset[axis_of(side)] = is_high(side) ? -cells : cells;
  return face;
}

// Periodic along an axis with more than one cell; along any other the ghosts are the cell itself.
Zone zone_of(const BoxFlow& box) {
  Zone zone{box.cells, {}};
  const bool open = box.flow == Case::tube || box.flow == Case::contact;
  for (int side = 0; side < sides; ++side) {
    const int axis = axis_of(side);
    if (box.cells[axis] > 1 && !(open && axis == box.axis))
      zone.faces[side] = joined_to_itself(side, box.cells[axis]);
  }
  return zone;
}

struct Extent {
  double begin, length;
};

// Cells across the plane of the flow are as long as those in it.
std::array<Extent, axes> extents_of(const BoxFlow& box) {
  std::array<Extent, axes> extents;
  const bool vortex = box.flow == Case::vortex;
  const int along = vortex ? 0 : box.axis;
  const double length = vortex ? 10.0 : 1.0;
  for (int axis = 0; axis < axes; ++axis) {
    const bool in_flow = axis == along || (vortex && axis == 1) || box.flow == Case::uniform;
    extents[axis] = in_flow ? Extent{-0.5 * length, length}
                            : Extent{0.0, length * box.cells[axis] / box.cells[along]};
  }
  return extents;
}

Nodes nodes_of(const BoxFlow& box) {
  const auto extents = extents_of(box);
  const Index n = box.cells;
  const double waves = box.shape == Shape::wavy ? 0.03 : 0.0;
  return [=](const Index& node) {
    // Of node n as of node 0, to the bit.
    const auto wave = [&](int axis) {
      return n[axis] > 1 ? std::sin(2.0 * pi * (node[axis] % n[axis]) / n[axis]) : 1.0;
    };
    Vector x;
    for (int axis = 0; axis < axes; ++axis) {
      const double moved =
          waves == 0.0 || n[axis] == 1 ? 0.0 : waves * wave((axis + 1) % 3) * wave((axis + 2) % 3);
      x[axis] = extents[axis].begin +
                extents[axis].length * (static_cast<double>(node[axis]) / n[axis] + moved);
    }
    return x;
  };
}

// Distance from the centre of a vortex that has moved by `shift`, in a periodic box of 10.
double from_centre(double x, double shift) { return std::remainder(x - shift, 10.0); }

Gas vortex_at(const Vector& at, double time) {
  const double x = from_centre(at[0], time), y = from_centre(at[1], time);
  const double square = x * x + y * y;
  const double swirl = strength / (2.0 * pi) * std::exp(0.5 * (1.0 - square));
  const double temperature = 1.0 - (gamma_gas - 1.0) * strength * strength /
                                       (8.0 * gamma_gas * pi * pi) * std::exp(1.0 - square);
  const double density = std::pow(temperature, 1.0 / (gamma_gas - 1.0));
  return {density, {1.0 - swirl * y, 1.0 + swirl * x, 0.0}, density * temperature};
}

}  // namespace

State conserved(const Gas& gas) {
  const Vector& u = gas.velocity;
  const double kinetic = 0.5 * gas.density * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  return {gas.density, gas.density * u[0], gas.density * u[1], gas.density * u[2],
          gas.pressure / (gamma_gas - 1.0) + kinetic};
}

double vortex_density(const Vector& x, double time) { return vortex_at(x, time).density; }

Problem built_in(const BoxFlow& box) {
  Problem problem;
  problem.topology = {zone_of(box)};
  problem.nodes = {nodes_of(box)};
  problem.closed = box.flow == Case::vortex || box.flow == Case::uniform;
  problem.uniform = box.flow == Case::uniform;
  const int axis = box.axis;
  switch (box.flow) {
    case Case::vortex:
      problem.first = [](const Vector& x) { return vortex_at(x, 0.0); };
      break;
    case Case::tube:
      problem.first = [axis](const Vector& x) { return x[axis] < 0.0 ? sod_left : sod_right; };
      break;
    case Case::contact:
      problem.first = [axis](const Vector& x) {
        return Gas{x[axis] < 0.0 ? 1.0 : 0.125, {0.0, 0.0, 0.0}, 1.0};
      };
      break;
    case Case::uniform:
      problem.inflow = {1.0, {0.5, 0.4, 0.3}, 1.0 / gamma_gas};
      problem.first = [gas = problem.inflow](const Vector&) { return gas; };
  }
  return problem;
}

}  // namespace hakaru::apps::multiblock_flow
