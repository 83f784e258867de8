#include "apps/multiblock_flow/joining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "native/base/require.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

constexpr double closeness = 1e-6;  // of nodes, in units of the shortest edge of the face

double distance(const Vector& a, const Vector& b, const Vector& shift) {
  return std::hypot(a[0] + shift[0] - b[0], a[1] + shift[1] - b[1], a[2] + shift[2] - b[2]);
}

// Nodes on a face: numbers along its two tangents, and the node of the zone at each.
struct Plane {
  Plane(const Zone& zone, int side_)
      : side(side_),
        along(tangents(side_)),
        cells{zone.cells[along[0]], zone.cells[along[1]]},
        level(is_high(side_) ? zone.cells[axis_of(side_)] : 0) {}
  Index node(int s, int t) const {
    Index at;
    at[axis_of(side)] = level, at[along[0]] = s, at[along[1]] = t;
    return at;
  }
  int side;
  std::array<int, 2> along, cells;
  int level;
};

struct Meeting {
  double gap = 0.0;  // the largest distance of two nodes
  int s = 0, t = 0;  // where
};

// Where a node (s, t) of the first face lies on the second.
Index on_other(const Plane& other, const Orientation& how, int s, int t) {
  std::array<int, 2> at{how.swapped ? t : s, how.swapped ? s : t};
  for (int a = 0; a < 2; ++a)
    if (how.backward[a]) at[a] = other.cells[a] - at[a];
  return other.node(at[0], at[1]);
}

Meeting meet(const Nodes& a, const Plane& one, const Nodes& b, const Plane& other,
             const Orientation& how, const Vector& shift) {
  Meeting worst;
  for (int t = 0; t <= one.cells[1]; ++t)
    for (int s = 0; s <= one.cells[0]; ++s) {
      const double gap = distance(a(one.node(s, t)), b(on_other(other, how, s, t)), shift);
      if (!(gap <= worst.gap)) worst = {gap, s, t};
    }
  return worst;
}

double shortest_edge(const Nodes& nodes, const Plane& plane) {
  double shortest = std::numeric_limits<double>::max();
  const auto take = [&](const Index& a, const Index& b) {
    const double edge = distance(nodes(a), nodes(b), {});
    if (edge > 0.0) shortest = std::min(shortest, edge);  // edges may shrink to a point
  };
  for (int t = 0; t <= plane.cells[1]; ++t)
    for (int s = 0; s < plane.cells[0]; ++s) take(plane.node(s, t), plane.node(s + 1, t));
  for (int t = 0; t < plane.cells[1]; ++t)
    for (int s = 0; s <= plane.cells[0]; ++s) take(plane.node(s, t), plane.node(s, t + 1));
  return shortest;
}

void refuse(int a, int side, int b, int other, const std::string& why) {
  base::require(false,
                fmt::format("face {} of zone {} and face {} of zone {} do not meet",
                            side_names[side], a + 1, side_names[other], b + 1),
                why, "check the grid and the connection");
}

}  // namespace

void join(Problem& problem, int a, int side, int b, int other, const Vector& shift) {
  Zone &first = problem.topology[static_cast<std::size_t>(a)],
       &second = problem.topology[static_cast<std::size_t>(b)];
  const Plane one(first, side), two(second, other);
  const Nodes &from = problem.nodes[static_cast<std::size_t>(a)],
              &to = problem.nodes[static_cast<std::size_t>(b)];
  const double limit = closeness * std::min(shortest_edge(from, one), shortest_edge(to, two));
  Meeting best{std::numeric_limits<double>::infinity(), 0, 0};
  Orientation how;
  bool fits = false;
  for (int choice = 0; choice < 8; ++choice) {
    const Orientation trial{(choice & 1) != 0, {(choice & 2) != 0, (choice & 4) != 0}};
    if (one.cells[trial.swapped ? 1 : 0] != two.cells[0] ||
        one.cells[trial.swapped ? 0 : 1] != two.cells[1])
      continue;
    fits = true;
    const Meeting meeting = meet(from, one, to, two, trial, shift);
    if (meeting.gap < best.gap) best = meeting, how = trial;
  }
  if (!fits)
    refuse(a, side, b, other,
           fmt::format("{} x {} cells lie on {} x {}", one.cells[0], one.cells[1], two.cells[0],
                       two.cells[1]));
  if (!(best.gap <= limit))
    refuse(a, side, b, other,
           fmt::format("nodes are {:.3g} apart at node {} {} of the first", best.gap, best.s + 1,
                       best.t + 1));
  const Map map = map_across(first, side, second, other, how);
  first.faces[static_cast<std::size_t>(side)] = {Boundary::joined, b, map};
  second.faces[static_cast<std::size_t>(other)] = {Boundary::joined, a, map.inverse()};
}

}  // namespace hakaru::apps::multiblock_flow
