// The plasmon and the reflection of a film against the dielectric function of the same matter.
#include "apps/electrons/verify_response.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/electrons/simulation.hpp"
#include "apps/electrons/verify.hpp"

namespace hakaru::apps::electrons {
namespace {

using std::numbers::pi;

constexpr double damping = 0.04;  // hartree; exp(-damping T) = 7e-4 after 180 a.u.

Complex transform(const std::vector<double>& values, double dt, Complex frequency) {
  Complex sum = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double weight = n == 0 || n + 1 == values.size() ? 0.5 : 1.0;
    sum += weight * values[n] * std::exp(Complex(0.0, dt * double(n)) * frequency);
  }
  return sum * dt;
}

Spectrum frequencies(double first, double last) {
  Spectrum result;
  for (double w = first; w <= last; w += 0.002) result.emplace_back(w, damping);
  return result;
}

// 4 pi i sigma / w
Spectrum answer(const ImpulseRun& run, const Spectrum& frequencies) {
  Spectrum result;
  for (const Complex& z : frequencies)
    result.push_back(Complex(0.0, 4.0 * pi) * transform(run.currents, run.dt, z) /
                     (run.impulse * z));
  return result;
}

std::size_t highest(const std::vector<double>& values) {
  return std::size_t(std::ranges::max_element(values) - values.begin());
}

// The last frequency at which the real part passes from below to above zero; 0 if there is none.
double zero_of(const Spectrum& dielectric, const Spectrum& frequencies) {
  double place = 0.0;
  for (std::size_t i = 1; i < dielectric.size(); ++i) {
    const double before = dielectric[i - 1].real(), after = dielectric[i].real();
    if (before < 0.0 && after >= 0.0)
      place =
          std::lerp(frequencies[i - 1].real(), frequencies[i].real(), before / (before - after));
  }
  return place;
}

}  // namespace

Spectrum dielectric_at(const ImpulseRun& run, const Spectrum& frequencies) {
  Spectrum result = answer(run, frequencies);
  for (Complex& value : result) value = 1.0 + value;
  return result;
}

Spectrum inverse_dielectric_at(const ImpulseRun& run, const Spectrum& frequencies) {
  Spectrum result = answer(run, frequencies);
  for (Complex& value : result) value = 1.0 - value;
  return result;
}

void compare_plasmon(const ImpulseRun& transverse, const ImpulseRun& longitudinal,
                     double electron_density, base::Checks& checks) {
  const Spectrum at = frequencies(0.1, 1.2);
  const Spectrum eps = dielectric_at(transverse, at),
                 inverse = inverse_dielectric_at(longitudinal, at);
  std::vector<double> expected, found;
  for (std::size_t i = 0; i < at.size(); ++i)
    expected.push_back(-(1.0 / eps[i]).imag()), found.push_back(-inverse[i].imag());
  double worst = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i)
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  const std::size_t peak = highest(found);
  checks.at_most(
      "loss function of the longitudinal motion against Im(-1/eps) of the transverse one",
      worst / expected[highest(expected)], 0.01,
      "the same response; two schemes of second order in dt, and what is left of the "
      "currents at the end, 1e-3");
  checks.absolute("plasmon: peak of the longitudinal motion, hartree", at[peak].real(),
                  at[highest(expected)].real(), 0.004, "two points of the frequencies compared");
  checks.absolute("plasmon: zero of Re eps of the transverse motion, hartree", zero_of(eps, at),
                  at[peak].real(), 0.05,
                  "equal where nothing else damps; transitions between bands do, by as much");
  checks.relative("plasmon against the plasma frequency of all electrons", at[peak].real(),
                  std::sqrt(4.0 * pi * electron_density), 0.1,
                  "valence electrons are nearly free; silicon's plasmon is within 2 % of it");
}

Complex slab_reflection(Complex dielectric, Complex frequency, double thickness) {
  const Complex n = std::sqrt(dielectric), r = (1.0 - n) / (1.0 + n);
  const Complex phase = std::exp(Complex(0.0, 2.0 * thickness / light_speed) * n * frequency);
  return r * (1.0 - phase) / (1.0 - r * r * phase);
}

void compare_reflection(const ImpulseRun& transverse, const FilmRun& film, base::Checks& checks) {
  const Spectrum at = frequencies(0.05, 0.3), eps = dielectric_at(transverse, at);
  std::vector<double> reflected = film.whole, incoming;
  for (std::size_t i = 0; i < reflected.size(); ++i) reflected[i] -= film.incoming[i];
  for (const Complex& z : at) incoming.push_back(std::abs(transform(film.incoming, film.dt, z)));
  const double strongest = incoming[highest(incoming)];
  double worst = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (incoming[i] < 0.2 * strongest) continue;
    // There and back between the cell and the surface.
    const Complex way = std::exp(Complex(0.0, 2.0 * film.distance / light_speed) * at[i]);
    const Complex found =
        transform(reflected, film.dt, at[i]) / (transform(film.incoming, film.dt, at[i]) * way);
    const Complex expected = slab_reflection(eps[i], at[i], film.thickness);
    worst = std::max(worst, std::abs(found - expected));
    largest = std::max(largest, std::abs(expected));
  }
  checks.at_most("reflection of a film against Fresnel's with its own eps", worst / largest, 0.015,
                 "amplitude and phase at all frequencies of the pulse; second order in dt and "
                 "(n w dX / c)^2 / 12 = 2e-3");
  checks.at_least("largest reflected amplitude", largest, 0.2, "else nothing was compared");
}

namespace {

Settings cell(double dt) {
  Settings s;
  s.system = make_system(soft_silicon(), {12, 12, 12}, {1, 1, 2}, 2, 5.0);
  s.propagator.dt = dt, s.propagator.corrections = 0;
  s.steps = int(180.0 / dt);
  s.groups = 1;
  s.field.kind = Field::Kind::impulse;
  s.field.impulse = 0.001;
  return s;
}

ImpulseRun after_impulse(const Settings& settings, const Orbitals& from,
                         const parallel::Communicator& world) {
  Simulation simulation(settings, world, {});
  simulation.begin(&from);
  for (int i = 0; i < settings.steps; ++i) simulation.step();
  ImpulseRun run{settings.propagator.dt, settings.field.impulse, {}};
  for (const Moment& moment : simulation.history())
    run.currents.push_back(moment.current[settings.field.direction]);
  return run;
}

// Light of a weak pulse around 4 eV on two macroscopic points.
FilmRun through_film(Settings settings, const Orbitals& from, const parallel::Communicator& world) {
  const double dt = settings.propagator.dt;
  settings.geometry = Geometry::film;
  settings.field = {Field::Kind::pulse, 2, 0.0, 0.001, 0.15, 60.0};
  settings.film = {2, 200, 20, 50.0, dt};
  const int cell = settings.film.before - 4;
  FilmRun run{
      dt, settings.film.points * settings.film.spacing, 3.5 * settings.film.spacing, {}, {}};
  Simulation simulation(settings, world, {});
  simulation.begin(&from);
  const Field field = settings.field;
  Maxwell vacuum(settings.film, layout_of(1, 1, settings.film.points, 1), 0,
                 parallel::Communicator::borrow(MPI_COMM_SELF),
                 [field](double t) { return field.vector_potential(t); });
  const std::vector<double> nothing(settings.film.points, 0.0);
  for (int i = 0; i <= settings.steps; ++i) {
    run.whole.push_back(simulation.maxwell()->cells()[cell]);
    run.incoming.push_back(vacuum.cells()[cell]);
    simulation.step(), vacuum.step(nothing);
  }
  return run;
}

}  // namespace

void verify_response(const Verification& how, const parallel::Communicator& world,
                     base::Checks& checks) {
  if (!how.full) return;
  Settings settings = cell(0.16);
  Simulation simulation(settings, world, {});
  const GroundState state = simulation.find_ground_state({});
  ImpulseRun transverse = after_impulse(settings, state.orbitals, world);
  if (how.damaged)
    for (double& current : transverse.currents) current *= 1.1;
  Settings own_field = settings;
  own_field.geometry = Geometry::longitudinal;
  compare_plasmon(transverse, after_impulse(own_field, state.orbitals, world),
                  settings.system.crystal.electrons() / settings.system.grid.volume(), checks);
  compare_reflection(transverse, through_film(settings, state.orbitals, world), checks);
}

}  // namespace hakaru::apps::electrons
