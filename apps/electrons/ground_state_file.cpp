#include "apps/electrons/ground_state_file.hpp"

#include <filesystem>

#include "apps/electrons/checkpoint.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr const char *finished = "ground state", *unfinished = "search for the ground state";
// Iterations, energy, steps that the mixing remembers.
constexpr std::size_t numbers_of_search = 3;

StateShape shape_of(const Settings& settings, const char* what) {
  StateShape shape = checkpoint_shape(settings, 0);
  shape.identity = identity_of(settings, what);
  shape.points = 1, shape.film_cells = shape.of_point = 0, shape.shared = shape.grid_points;
  if (what == finished) return shape;
  shape.bands += settings.extra_bands;
  shape.identity["bands"] = shape.bands;
  return shape;
}

Orbitals empty_orbitals(Simulation& simulation, int bands) {
  const Orbitals& like = simulation.points()[0].orbitals();
  return {like.points(), like.first_k(), like.k_count(), bands};
}

GroundState read_search(const std::string& path, Simulation& simulation) {
  StateShape shape = shape_of(simulation.settings(), unfinished);
  shape.shared = shared_numbers(path, shape);
  Orbitals orbitals = empty_orbitals(simulation, shape.bands);
  StatePart part;
  part.orbitals = {&orbitals};
  read_state(path, shape, part, simulation.group());
  const std::size_t points = shape.grid_points;
  const double* numbers = part.shared.data();
  GroundState state;
  state.iterations = static_cast<int>(numbers[0]), state.energy = numbers[1];
  const auto steps = static_cast<std::size_t>(numbers[2]);
  numbers += numbers_of_search;
  state.density.assign(numbers, numbers + points);
  state.mixing.resume(numbers + points, steps, points);
  for (int k = 0; k < orbitals.k_count(); ++k) {
    Eigenstates& states = state.states.emplace_back();
    states.vectors = Block(points, shape.bands);
    std::copy_n(orbitals.at(k, 0), states.vectors.values.size(), states.vectors.values.data());
  }
  return state;
}

}  // namespace

void write_ground_state(const std::string& path, Simulation& simulation, GroundState& state,
                        const parallel::Communicator& world) {
  if (simulation.layout().group_of(world.rank()) == 0) {
    StatePart part;
    part.shared = state.density;
    part.orbitals = {&state.orbitals};
    write_state(path, shape_of(simulation.settings(), finished), part, simulation.group());
  }
  world.barrier();
}

void write_search(const std::string& path, Simulation& simulation, const GroundState& state,
                  const parallel::Communicator& world) {
  if (simulation.layout().group_of(world.rank()) != 0) return;
  StateShape shape = shape_of(simulation.settings(), unfinished);
  StatePart part;
  part.shared = {double(state.iterations), state.energy, double(state.mixing.steps())};
  part.shared.insert(part.shared.end(), state.density.begin(), state.density.end());
  const std::vector<double> past = state.mixing.past();
  part.shared.insert(part.shared.end(), past.begin(), past.end());
  shape.shared = part.shared.size();
  Orbitals orbitals = empty_orbitals(simulation, shape.bands);
  for (int k = 0; k < orbitals.k_count(); ++k) {
    const Block& from = state.states[k].vectors;
    std::copy_n(from.values.data(), from.values.size(), orbitals.at(k, 0));
  }
  part.orbitals = {&orbitals};
  write_state(path, shape, part, simulation.group());
}

Kept kept_in(const std::string& path) {
  if (path.empty() || !std::filesystem::exists(path)) return Kept::nothing;
  const std::string what = kind_of_state(path);
  base::require(what == finished || what == unfinished, "cannot use " + path,
                "it is a " + what + ", not a ground state", "name another file as ground_state");
  return what == finished ? Kept::ground_state : Kept::search;
}

GroundState read_ground_state(const std::string& path, Simulation& simulation) {
  if (kept_in(path) == Kept::search) return read_search(path, simulation);
  const StateShape shape = shape_of(simulation.settings(), finished);
  shared_numbers(path, shape);
  GroundState state;
  state.orbitals = empty_orbitals(simulation, shape.bands);
  StatePart part;
  part.orbitals = {&state.orbitals};
  read_state(path, shape, part, simulation.group());
  state.density = part.shared;
  return state;
}

}  // namespace hakaru::apps::electrons
