#include "apps/multiblock_flow/settings.hpp"

#include <fmt/format.h>

#include "apps/multiblock_flow/input.hpp"

namespace hakaru::apps::multiblock_flow {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

Index by_axis(const base::Parameters& p, const std::string& before) {
  Index values;
  for (int axis = 0; axis < axes; ++axis)
    values[axis] = static_cast<int>(p.integer(before + axis_names[axis]));
  return values;
}

Problem problem_of(const base::Parameters& p) {
  if (!p.text("input").empty()) return from_files(p.text("input"));
  BoxFlow box;
  const std::string &flow = p.text("case"), &shape = p.text("grid");
  box.flow = flow == "vortex"    ? Case::vortex
             : flow == "tube"    ? Case::tube
             : flow == "contact" ? Case::contact
                                 : Case::uniform;
  box.shape = shape == "wavy" ? Shape::wavy : Shape::cartesian;
  box.cells = by_axis(p, "n");
  return built_in(box);
}

// Ghosts of an axis that is joined lie in one neighbour.
std::string refuse_zones(const Topology& topology, int layers) {
  for (std::size_t number = 0; number < topology.size(); ++number)
    for (const Face& face : topology[number].faces) {
      if (face.boundary != Boundary::joined) continue;
      const Zone& other = topology[static_cast<std::size_t>(face.zone)];
      for (int axis = 0; axis < axes; ++axis)
        if (face.map.axis[axis] == axis_of(static_cast<int>(&face - &topology[number].faces[0])) &&
            other.cells[axis] < layers)
          return fmt::format(
              "zone {} has {} cell across a face that zone {} meets, and the scheme "
              "needs {}; give a finer grid or scheme=first",
              face.zone + 1, other.cells[axis], number + 1, layers);
    }
  return "";
}

}  // namespace

Settings::Settings(const base::Parameters& p, const base::Layout& layout) {
  problem = std::make_shared<Problem>(problem_of(p));
  Repetition& r = repetition;
  r.topology = problem->topology;
  const std::string &scheme = p.text("scheme"), &way = p.text("way");
  r.scheme = scheme == "first"   ? Scheme::first
             : scheme == "muscl" ? Scheme::muscl
                                 : Scheme::limited;
  r.way = way == "collective"    ? Way::collective
          : way == "independent" ? Way::independent
          : way == "master"      ? Way::master
                                 : Way::split;
  r.steps = p.integer("steps");
  cfl = p.real("cfl");
  restart = p.text("restart"), output = p.text("output");
  r.writes = !output.empty();
  const Index parts = by_axis(p, "blocks_");
  refusal = refuse_zones(r.topology, layers_of(r.scheme));
  if (refusal.empty()) refusal = refuse_division(r.topology, parts, layout.ranks);
  if (refusal.empty()) r.division = divide(r.topology, parts, layout.ranks);
}

void declare_parameters(base::Description& d) {
  d.text("input", "", "TOML file of zones, instead of a case")
      .choice(
          "case", "vortex", {"vortex", "tube", "contact", "uniform"},
          "an isentropic vortex in a periodic box; Sod's shock tube; a contact at rest; a uniform "
          "flow")
      .choice("grid", "cartesian", {"cartesian", "wavy"}, "shape of the grid of a case");
  const int defaults[] = {64, 64, 1};
  for (int axis = 0; axis < axes; ++axis)
    d.integer(std::string("n") + axis_names[axis], defaults[axis], 1, 100'000, "1",
              std::string("cells along ") + axis_names[axis]);
  for (const char* axis : axis_names)
    d.integer(std::string("blocks_") + axis, 0, 0, 100'000, "1",
              fmt::format("blocks of each zone along {}; 0: as the ranks need", axis));
  d.choice("scheme", "first", {"first", "muscl", "limited"},
           "first order with Euler's steps; MUSCL (kappa = 1/3) with SSP-RK3; the same with van "
           "Albada's limiter")
      .real("cfl", 0.5, 1e-6, 2.0, "1", "time step times the largest wave, over all axes together")
      .integer("steps", 50, 0, 1'000'000'000, "1", "time steps of a repetition")
      .text("restart", "", "solution to begin with")
      .text("output", "", "file for the solution at the end of each repetition")
      .choice("way", "collective", {"collective", "independent", "master", "split"},
              "how ranks write it: MPI_File_write_at_all, MPI_File_write_at, through rank 0, or a "
              "file each");
}

}  // namespace hakaru::apps::multiblock_flow
