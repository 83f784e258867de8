#include "apps/electrons/checkpoint.hpp"

#include <csignal>

namespace hakaru::apps::electrons {
namespace {

volatile std::sig_atomic_t asked = 0;

void put(std::vector<double>& to, const Moment& m) {
  to.insert(to.end(), {m.time, m.a, m.electric, m.current[0], m.current[1], m.current[2],
                       m.electrons, m.energy, m.work});
}

Moment moment_at(const double* v) {
  return {v[0], v[1], v[2], {v[3], v[4], v[5]}, v[6], v[7], v[8]};
}

// Mean fields, newest first, and the current along the field.
std::vector<double> numbers_of(Propagator& point, double current) {
  std::vector<double> numbers;
  for (const auto& potential : point.memory().last)
    numbers.insert(numbers.end(), potential.begin(), potential.end());
  numbers.push_back(current);
  return numbers;
}

StatePart part_of_this_rank(Simulation& simulation, const parallel::Communicator& world) {
  StatePart part;
  part.first_point = simulation.layout().points_of(world.rank()).first;
  part.leader = simulation.group().rank() == 0;
  for (Propagator& point : simulation.points()) part.orbitals.push_back(&point.orbitals());
  if (Maxwell* light = simulation.maxwell()) {
    part.first_cell = light->first_cell();
    part.film_now.assign(light->now().begin() + 1, light->now().end() - 1);
    part.film_last.assign(light->last().begin() + 1, light->last().end() - 1);
  }
  return part;
}

}  // namespace

nlohmann::json identity_of(const Settings& s, const char* what) {
  const System& system = s.system;
  nlohmann::json identity{{"what", what},
                          {"crystal", system.crystal.name},
                          {"lengths", system.crystal.lengths},
                          {"grid", system.grid.points},
                          {"mesh", system.mesh},
                          {"k_points", system.k_points.size()},
                          {"reach", system.reach}};
  // The k-points that stand for the others depend on it.
  if (system.operations.size() > 1) identity["symmetry axis"] = std::string(1, "xyz"[system.axis]);
  return identity;
}

StateShape checkpoint_shape(const Settings& settings, std::size_t history) {
  StateShape shape;
  const bool film = settings.geometry == Geometry::film;
  shape.identity = identity_of(settings, "checkpoint");
  shape.points = film ? settings.film.points : 1;
  shape.film_cells = film ? std::size_t(settings.film.cells()) : 0;
  shape.identity["points"] = shape.points;
  shape.identity["cells"] = shape.film_cells;
  shape.shared = numbers_of_clock + numbers_of_moment * history;
  shape.grid_points = settings.system.grid.size();
  shape.of_point = 3 * shape.grid_points + 1;
  shape.k_points = static_cast<int>(settings.system.k_points.size());
  shape.bands = settings.system.crystal.occupied();
  return shape;
}

void write_checkpoint(const std::string& path, Simulation& simulation,
                      const parallel::Communicator& world) {
  StatePart part = part_of_this_rank(simulation, world);
  const Simulation::Scalars clock = simulation.scalars();
  part.shared = {double(clock.step), clock.induced, clock.induced_before, clock.work};
  for (const Moment& moment : simulation.history()) put(part.shared, moment);
  for (std::size_t i = 0; i < simulation.points().size(); ++i)
    part.points.push_back(numbers_of(simulation.points()[i], simulation.currents()[i]));
  write_state(path, checkpoint_shape(simulation.settings(), simulation.history().size()), part,
              world);
}

void read_checkpoint(const std::string& path, Simulation& simulation,
                     const parallel::Communicator& world) {
  StateShape shape = checkpoint_shape(simulation.settings(), 0);
  shape.shared = shared_numbers(path, shape);
  simulation.prepare_fields();
  StatePart part = part_of_this_rank(simulation, world);
  part.points.resize(simulation.points().size());
  read_state(path, shape, part, world);
  std::vector<double> currents;
  const std::size_t size = shape.grid_points;
  for (std::size_t i = 0; i < part.points.size(); ++i) {
    const double* numbers = part.points[i].data();
    for (auto& potential : simulation.points()[i].memory().last) {
      potential.assign(numbers, numbers + size);
      numbers += size;
    }
    currents.push_back(*numbers);
  }
  if (Maxwell* light = simulation.maxwell()) {
    std::copy(part.film_now.begin(), part.film_now.end(), light->now().begin() + 1);
    std::copy(part.film_last.begin(), part.film_last.end(), light->last().begin() + 1);
  }
  std::vector<Moment> history;
  for (std::size_t at = numbers_of_clock; at < shape.shared; at += numbers_of_moment)
    history.push_back(moment_at(part.shared.data() + at));
  simulation.resume(
      {static_cast<int>(part.shared[0]), part.shared[1], part.shared[2], part.shared[3]}, currents,
      std::move(history));
}

void listen_for_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) { asked = 1; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
}

bool asked_by_signal() {
  const bool was = asked != 0;
  asked = 0;
  return was;
}

}  // namespace hakaru::apps::electrons
