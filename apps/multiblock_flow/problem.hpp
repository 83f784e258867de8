// What is computed: zones with their nodes, the flow at first, and what flows in.
#pragma once

#include <memory>
#include <string>

#include "apps/multiblock_flow/geometry.hpp"

namespace hakaru::apps::multiblock_flow {

// rho, velocity, pressure
struct Gas {
  double density;
  Vector velocity;
  double pressure;
};
State conserved(const Gas& gas);

struct Problem {
  Topology topology;
  std::vector<Nodes> nodes;                        // of each zone
  std::function<Gas(const Vector& centre)> first;  // the flow at first
  Gas inflow{1.0, {0.0, 0.0, 0.0}, 1.0};
  bool closed = false;   // nothing flows in or out: sums are conserved
  bool uniform = false;  // the flow at first is a solution
};

enum class Case { vortex, tube, contact, uniform };
enum class Shape { cartesian, wavy };

// One zone with `cells`. vortex: an isentropic vortex that the flow (1, 1, 0) carries through
// [-5, 5]^2 in a time of 10; tube: Sod's shock tube in [-1/2, 1/2]; contact: densities 1 and 1/8 at
// rest at one pressure; uniform: (0.5, 0.4, 0.3) in a periodic cube. tube and contact lie along
// `axis`.
struct BoxFlow {
  Case flow = Case::vortex;
  Shape shape = Shape::cartesian;
  Index cells{32, 32, 1};
  int axis = 0;
};
Problem built_in(const BoxFlow& box);

// Density of the vortex at a time. x and y in its box.
double vortex_density(const Vector& x, double time);

}  // namespace hakaru::apps::multiblock_flow
