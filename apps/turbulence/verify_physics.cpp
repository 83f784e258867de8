// The nonlinear term, flows with known solutions, and the time integration.
#include <cmath>

#include "apps/turbulence/canonical.hpp"
#include "apps/turbulence/initial.hpp"
#include "apps/turbulence/reference.hpp"
#include "apps/turbulence/verify.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::turbulence::verification {
namespace {

struct Invariants {
  double energy, helicity;  // relative
};

// Re sum conj(U) . G and Re sum conj(curl U) . G over |U| |G| and |curl U| |G|.
Invariants invariants(const Solver& solver, const State& velocity, const State& rate) {
  const Grid& grid = solver.grid();
  std::vector<parallel::ExactSum> own(5);
  grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
    const double k[3] = {double(kx), double(ky), double(kz)}, weight = kz == 0 ? 1.0 : 2.0;
    Complex u[3], g[3];
    for (int c = 0; c < 3; ++c) {
      const std::size_t place = grid.index(plane, grid.index_of(kx), grid.index_of(ky), c);
      u[c] = velocity[place], g[c] = rate[place];
    }
    for (int c = 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      const Complex w = Complex(0.0, 1.0) * (k[a] * u[b] - k[b] * u[a]);
      own[0].add(weight * std::real(std::conj(u[c]) * g[c]));
      own[1].add(weight * std::real(std::conj(w) * g[c]));
      own[2].add(weight * std::norm(u[c]));
      own[3].add(weight * std::norm(w));
      own[4].add(weight * std::norm(g[c]));
    }
  });
  const std::vector<double> sums = parallel::exact_sums(solver.communicator(), own);
  return {std::abs(sums[0]) / std::sqrt(sums[2] * sums[4]),
          std::abs(sums[1]) / std::sqrt(sums[3] * sums[4])};
}

void advance(Solver& solver, const State& initial, int steps) {
  solver.begin(initial);
  for (int step = 0; step < steps; ++step) solver.step(step == 0 ? initial : solver.velocity());
}

void abc_decay(const Context& context) {
  constexpr int steps = 20;
  Solver solver(context.settings(24, 0.1, 0.02), context.world);
  State initial(solver.grid());
  set_abc(solver.grid(), initial);
  advance(solver, initial, steps);
  context.spoil(solver, solver.velocity());
  auto exact = collect(solver.grid(), initial, context.world);
  for (Complex& mode : exact) mode *= std::exp(-0.1 * 0.02 * steps);
  context.checks.at_most("ABC flow: distance from exp(-nu t) u(0), relative",
                         distance(collect(solver.grid(), solver.velocity(), context.world), exact),
                         2e-14, "u x curl u = 0 exactly, so only rounding is left after 20 steps");
}

// Omega / Omega(0) = 1 + a t^2 + b t^4 + c t^6 through three times.
void taylor_green_series(const Context& context) {
  Solver solver(context.settings(24, 0.0, 0.01), context.world);
  State initial(solver.grid());
  set_taylor_green(solver.grid(), initial);
  solver.begin(initial);
  const double omega0 = solver.enstrophy(), energy0 = solver.energy();
  double x[3], y[3];
  for (int step = 1; step <= 30; ++step) {
    solver.step(step == 1 ? initial : solver.velocity());
    if (step % 10 != 0) continue;
    const int point = step / 10 - 1;
    x[point] = std::pow(0.01 * step, 2);
    y[point] = (solver.enstrophy() / omega0 - 1.0) / x[point];
  }
  context.spoil(solver, solver.velocity());
  solver.begin(solver.velocity());
  y[2] = (solver.enstrophy() / omega0 - 1.0) / x[2];
  // Divided differences of a + b x + c x^2.
  const double d01 = (y[1] - y[0]) / (x[1] - x[0]), d12 = (y[2] - y[1]) / (x[2] - x[1]);
  const double c = (d12 - d01) / (x[2] - x[0]), b = d01 - c * (x[0] + x[1]),
               a = y[0] - x[0] * (b + c * x[1]);
  context.checks.absolute("Taylor-Green without viscosity: coefficient of t^2", a, 5.0 / 48.0, 1e-6,
                          "Taylor and Green 1937; the fit leaves out t^8 and RK4 errs by dt^4");
  context.checks.absolute("Taylor-Green without viscosity: coefficient of t^4", b,
                          50.0 / (99.0 * 64.0), 2e-5, "as above, one order less");
  context.checks.relative("Taylor-Green without viscosity: energy", solver.energy(), energy0, 1e-10,
                          "conserved but for the Runge-Kutta error");
}

void taylor_green_table(const Context& context, int at_least, double last) {
  Solver solver(context.settings(at_least, 0.01, 0.02), context.world);
  State initial(solver.grid());
  set_taylor_green(solver.grid(), initial);
  solver.begin(initial);
  for (const TaylorGreenValue& value : taylor_green_re100) {
    if (value.time > last) break;
    for (int step = 0; step < 50; ++step)
      solver.step(value.time == 1.0 && step == 0 ? initial : solver.velocity());
    if (value.time == last) {
      context.spoil(solver, solver.velocity());
      solver.begin(solver.velocity());
    }
    const std::string name = "Taylor-Green at Re 100, n = " + std::to_string(solver.grid().n()) +
                             ", t = " + std::to_string(static_cast<int>(value.time));
    const std::string reason = "reference run at 64^3 with the same method; 8 decimals are known";
    context.checks.absolute(name + ": energy", solver.energy(), value.energy, 1e-7, reason);
    context.checks.absolute(name + ": enstrophy", solver.enstrophy(), value.enstrophy, 1e-7,
                            reason);
    context.checks.absolute(name + ": dissipation", 0.02 * solver.enstrophy(), value.dissipation,
                            1e-7, reason);
  }
}

// States after the time 0.4 with 8, 16 and 32 steps.
void order_of_accuracy(const Context& context) {
  std::vector<std::vector<Complex>> ends;
  for (const int steps : {8, 16, 32}) {
    Solver solver(context.settings(24, 0.02, 0.4 / steps), context.world);
    State initial(solver.grid());
    set_random(solver.grid(), initial, 7, 2.0, context.world);
    advance(solver, initial, steps);
    if (steps == 32) context.spoil(solver, solver.velocity());
    ends.push_back(collect(solver.grid(), solver.velocity(), context.world));
  }
  const double order = std::log2(distance(ends[0], ends[1]) / distance(ends[1], ends[2]));
  context.checks.absolute("order of the time integration", order, 4.0, 0.25,
                          "classical Runge-Kutta; the next order shows at finite steps");
}

void constant_energy(const Context& context) {
  Settings settings = context.settings(24, 0.02, 0.01);
  settings.forced = true;
  Solver solver(settings, context.world);
  State initial(solver.grid());
  set_random(solver.grid(), initial, 3, 2.0, context.world);
  advance(solver, initial, 20);
  context.spoil(solver, solver.velocity());
  solver.begin(solver.velocity());
  context.checks.absolute("forced: energy after 20 steps", solver.energy(), 0.5, 2e-8,
                          "the forcing balances the dissipation in every stage; RK4 errs by dt^4");
}

}  // namespace

void nonlinear_term(const Context& context) {
  Solver solver(context.settings(24, 0.0, 0.01), context.world);
  State velocity(solver.grid()), rate(solver.grid());
  // Energy up to the edge of the sphere, so that aliases would show.
  set_random(solver.grid(), velocity, 11, 8.0, context.world);
  solver.rate(velocity, rate);
  context.spoil(solver, rate);
  const auto all = collect(solver.grid(), velocity, context.world);
  const auto reference = padded_rate(solver.grid().n(), all);
  context.checks.at_most("nonlinear term: distance from the padded convolution, relative",
                         distance(collect(solver.grid(), rate, context.world), reference), 1e-12,
                         "the two shifted grids remove every alias within the sphere exactly");
  context.checks.at_least("what one grid alone would be off by",
                          distance(aliased_rate(solver.grid().n(), all), reference), 1e-3,
                          "otherwise the check above would prove nothing");
  const Invariants made = invariants(solver, velocity, rate);
  context.checks.at_most("nonlinear term: energy made, relative", made.energy, 1e-14,
                         "conserved but for rounding");
  context.checks.at_most("nonlinear term: helicity made, relative", made.helicity, 1e-14,
                         "conserved but for rounding");
  context.checks.at_most("nonlinear term: divergence, relative",
                         divergence(solver.grid(), rate, context.world), 1e-14, "projected");
}

void exact_flows(const Context& context) {
  abc_decay(context);
  taylor_green_series(context);
  taylor_green_table(context, 48, 1.0);
  if (context.plan.full) taylor_green_table(context, 64, 10.0);
}

void time_integration(const Context& context) {
  order_of_accuracy(context);
  constant_energy(context);
}

}  // namespace hakaru::apps::turbulence::verification
