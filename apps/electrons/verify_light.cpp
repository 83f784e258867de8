// Light in one dimension: in vacuum, at a linear medium, and through a film of silicon.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/electrons/simulation.hpp"
#include "apps/electrons/verify.hpp"

namespace hakaru::apps::electrons {
namespace {

Field pulse_of(double duration, double frequency) {
  Field field;
  field.kind = Field::Kind::pulse;
  field.amplitude = 0.01, field.frequency = frequency, field.duration = duration;
  return field;
}

// Oscillators x'' + w0^2 x = a' * strength give the current j with eps = 1 + 4 pi n /(w0^2 - w^2).
struct Oscillators {
  double strength, frequency, dt;
  std::vector<double> current, last;

  // j'' + w0^2 j = -strength a'' by leapfrog, j the particle current.
  void step(const Maxwell& light, const std::vector<double>& older) {
    std::vector<double> next(current.size());
    for (std::size_t i = 0; i < current.size(); ++i) {
      const int point = static_cast<int>(i);
      const double bend = light.at(point) - 2.0 * light.before_step(point) + older[i];
      next[i] = 2.0 * current[i] - last[i] - dt * dt * frequency * frequency * current[i] +
                strength * bend;
    }
    last.swap(current);
    current.swap(next);
  }
};

void check_vacuum(bool damaged, const parallel::Communicator& world, base::Checks& checks) {
  const Field field = pulse_of(400.0, 0.057);
  const Film film{1, 400, 600, 250.0, 0.8};
  const auto alone = parallel::Communicator::borrow(MPI_COMM_SELF);
  Maxwell light(film, layout_of(1, 1, 1, 1), 0, alone,
                [&](double t) { return field.vector_potential(t); });
  const int steps = 1000;
  for (int i = 0; i < steps; ++i) light.step({damaged ? 1e-6 : 0.0});
  double worst = 0.0, largest = 0.0;
  const auto cells = light.cells();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double exact = field.vector_potential(steps * film.dt + (film.before - double(i)) *
                                                                      film.spacing / light_speed);
    worst = std::max(worst, std::abs(cells[i] - exact));
    largest = std::max(largest, std::abs(exact));
  }
  checks.at_most("pulse in vacuum against its translation by c t", world.maximum(worst / largest),
                 2e-2,
                 "dispersion of second order: a phase of (k dX)^2 / 24 k x, 6e-3 over this way, "
                 "and as much for the envelope");
}

double reflected(double spacing) {
  const double frequency = 0.057, resonance = 0.2, strength = 0.02;
  const Field field = pulse_of(2000.0, frequency);
  const int matter = static_cast<int>(60000.0 / spacing),
            vacuum = static_cast<int>(330000.0 / spacing);
  const Film film{matter, vacuum, 2, spacing, 0.4 * spacing / light_speed};
  const auto alone = parallel::Communicator::borrow(MPI_COMM_SELF);
  Maxwell light(film, layout_of(1, 1, matter, 1), 0, alone,
                [&](double t) { return field.vector_potential(t); });
  Oscillators medium{strength, resonance, film.dt, std::vector<double>(matter, 0.0),
                     std::vector<double>(matter, 0.0)};
  // Until the pulse has left the surface; the film's far side is not reached back by then.
  const int steps = static_cast<int>(2150.0 / film.dt);
  std::vector<double> older(matter, 0.0);
  double incoming = 0.0, outgoing = 0.0;
  for (double value : light.cells()) incoming = std::max(incoming, std::abs(value));
  for (int i = 0; i < steps; ++i) {
    for (int p = 0; p < matter; ++p) older[p] = light.before_step(p);
    light.step(medium.current);
    medium.step(light, older);
  }
  const auto cells = light.cells();
  for (int i = 0; i < vacuum; ++i) outgoing = std::max(outgoing, std::abs(cells[i]));
  return outgoing / incoming;
}

void check_fresnel(bool damaged, base::Checks& checks) {
  const double frequency = 0.057, resonance = 0.2, strength = 0.02;
  const double epsilon =
      1.0 + 4.0 * std::numbers::pi * strength / (resonance * resonance - frequency * frequency);
  const double n = std::sqrt(epsilon), exact = (n - 1.0) / (n + 1.0);
  checks.relative("reflected amplitude of a linear medium", reflected(60.0) * (damaged ? 1.2 : 1.0),
                  exact, 2e-2,
                  "Fresnel's (n-1)/(n+1) for a long pulse; the surface is sharp to half a cell");
}

// A film of two points of silicon: the field's energy goes into the electrons.
void check_film(const parallel::Communicator& world, base::Checks& checks) {
  Settings s;
  s.system = make_system(soft_silicon(), {12, 12, 12}, {1, 1, 2}, 2, 5.0);
  s.geometry = Geometry::film;
  s.field = pulse_of(80.0, 0.3);
  s.film = {2, 60, 60, 250.0, 0.16};
  s.propagator.dt = 0.16;
  s.groups = 1;
  Simulation simulation(s, world, {});
  const GroundState state = simulation.find_ground_state({});
  simulation.begin(&state.orbitals);
  auto matter = [&] {
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
      Vector a{};
      a[2] = 0.5 * (simulation.maxwell()->at(i) + simulation.maxwell()->before_step(i));
      sum += simulation.points()[i].energy(a) / s.system.grid.volume() * s.film.spacing;
    }
    return sum;
  };
  const double light_before = simulation.maxwell()->energy(), before = matter();
  // The pulse (80 a.u.) has passed, and after 102 a.u. its reflected front is still in the cells.
  for (int i = 0; i < 640; ++i) simulation.step();
  const double taken = matter() - before, lost = light_before - simulation.maxwell()->energy();
  checks.absolute("energy that light loses to the film", lost, taken, 0.005 * light_before,
                  "sum of both conserved, to second order in c dt/dX and dX");
  checks.at_least("part of the light's energy that the film takes", taken / light_before, 0.01,
                  "else nothing was absorbed");
}

}  // namespace

void verify_light(const Verification& how, const parallel::Communicator& world,
                  base::Checks& checks) {
  check_vacuum(how.damaged, world, checks);
  check_fresnel(how.damaged, checks);
  if (how.full) check_film(world, checks);
}

}  // namespace hakaru::apps::electrons
