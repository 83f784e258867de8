#include "apps/electrons/crystal.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr double same_place = 1e-6;  // bohr

double off_lattice(double distance, double length) {
  return std::abs(distance - length * std::round(distance / length));
}

// x - R y
Vector apart(const Operation& operation, const Vector& x, const Vector& y) {
  Vector result;
  for (int d = 0; d < 3; ++d) result[d] = x[d] - operation.sign[d] * y[operation.axis[d]];
  return result;
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
    const int n = grid.points[d];
    points[d] = ((static_cast<int>(std::lround(steps)) % n) + n) % n;
  }
  return true;
}

std::vector<Operation> rotations(const CellGrid& grid, int direction) {
  const int u = (direction + 1) % 3, v = (direction + 2) % 3;
  const bool square =
      grid.points[u] == grid.points[v] && std::abs(grid.lengths[u] - grid.lengths[v]) < same_place;
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

int Crystal::electrons() const {
  double sum = 0.0;
  for (const Atom& atom : atoms) sum += of(atom).valence;
  return static_cast<int>(std::lround(sum));
}

Crystal diamond_structure(const std::string& name, const Pseudopotential& atom, double a) {
  constexpr double places[8][3] = {{0, 0, 0},   {.25, .25, .25}, {.5, 0, .5},     {0, .5, .5},
                                   {.5, .5, 0}, {.75, .25, .75}, {.25, .75, .75}, {.75, .75, .25}};
  Crystal crystal{name, {a, a, a}, {atom}, {}};
  for (const auto& p : places) crystal.atoms.push_back({0, {a * p[0], a * p[1], a * p[2]}});
  return crystal;
}

Crystal silicon(double constant) { return diamond_structure("silicon", gth_silicon(), constant); }
Crystal soft_silicon(double constant) {
  return diamond_structure("silicon_soft", appelbaum_hamann_silicon(), constant);
}
Crystal diamond(double constant) { return diamond_structure("diamond", gth_carbon(), constant); }

Crystal quartz(double a) {
  constexpr double silicons[6][3] = {{.9701, .5, 0}, {.2649, .7350, .6667}, {.2649, .2650, .3333},
                                     {.4701, 0, 0},  {.7649, .2350, .6667}, {.7649, .7650, .3333}};
  constexpr double oxygens[12][3] = {
      {.7798, .6338, .1191}, {.5608, .7068, .5476}, {.1594, .5730, .7858}, {.1594, .4270, .2142},
      {.5608, .2932, .4524}, {.7798, .3662, .8809}, {.2798, .1338, .1191}, {.0608, .2068, .5476},
      {.6594, .0730, .7858}, {.6594, .9270, .2142}, {.0608, .7932, .4524}, {.2798, .8662, .8809}};
  Crystal crystal{"quartz", {a, 1.732051 * a, 1.100094 * a}, {gth_silicon(), gth_oxygen()}, {}};
  auto add = [&](int species, const double(&p)[3]) {
    crystal.atoms.push_back(
        {species,
         {p[0] * crystal.lengths[0], p[1] * crystal.lengths[1], p[2] * crystal.lengths[2]}});
  };
  for (const auto& p : silicons) add(0, p);
  for (const auto& p : oxygens) add(1, p);
  return crystal;
}

Crystal crystal_of(const std::string& name, double constant) {
  if (name == "silicon") return silicon(constant > 0 ? constant : 10.26);
  if (name == "silicon_soft") return soft_silicon(constant > 0 ? constant : 10.26);
  if (name == "diamond") return diamond(constant > 0 ? constant : 6.74);
  base::require(name == "quartz", "there is no crystal " + name, "",
                "choose silicon, silicon_soft, diamond or quartz");
  return quartz(constant > 0 ? constant : 9.2849);
}

std::vector<Operation> symmetries(const Crystal& crystal, const CellGrid& grid, int direction) {
  std::vector<Operation> result;
  for (Operation operation : rotations(grid, direction))
    for (const Atom& to : crystal.atoms) {
      const Vector shift = apart(operation, to.place, crystal.atoms[0].place);
      if (!maps_atoms(crystal, operation, shift) || !on_grid(grid, shift, operation.shift))
        continue;
      result.push_back(operation);
      break;  // one translation for each rotation: the others are of the cell's own lattice
    }
  return result;
}

}  // namespace hakaru::apps::electrons
