#include "apps/turbulence/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "native/base/require.hpp"

namespace hakaru::apps::turbulence {

double Spectrum::energy() const {
  double sum = 0.0;
  for (const double energy : shell_energy) sum += energy;
  return sum;
}

Spectrum spectrum_of(const Grid& grid, const State& velocity,
                     const parallel::Communicator& communicator) {
  const int shells = static_cast<int>(std::sqrt(2.0) / 3.0 * grid.n() + 0.5) + 1;
  const std::size_t row = shells + 1;  // the last entry is the enstrophy
  // Each plane is summed by the rank that holds it, then all planes in order by every rank.
  std::vector<double> planes(row * (grid.cutoff() + 1), 0.0);
  grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
    const double k_squared = double(kx) * kx + double(ky) * ky + double(kz) * kz;
    double energy = 0.0;
    for (int component = 0; component < 3; ++component)
      energy +=
          std::norm(velocity[grid.index(plane, grid.index_of(kx), grid.index_of(ky), component)]);
    energy *= kz == 0 ? 0.5 : 1.0;
    planes[row * kz + static_cast<std::size_t>(std::sqrt(k_squared) + 0.5)] += energy;
    planes[row * kz + shells] += k_squared * energy;
  });
  communicator.sum(planes);
  Spectrum spectrum;
  spectrum.shell_energy.assign(shells, 0.0);
  for (int kz = 0; kz <= grid.cutoff(); ++kz) {
    for (int shell = 0; shell < shells; ++shell)
      spectrum.shell_energy[shell] += planes[row * kz + shell];
    spectrum.enstrophy += planes[row * kz + shells];
  }
  return spectrum;
}

namespace {

// Moments of all planes of constant y in order, whoever holds them.
std::vector<double> all_moments(Solver& solver, const State& velocity) {
  const Grid& grid = solver.grid();
  const std::vector<double> own = solver.nonlinear().moments(velocity);
  std::vector<double> all(own.size() * grid.ranks());
  const int count = static_cast<int>(own.size());
  HAKARU_MPI(MPI_Allgather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE,
                           solver.communicator().handle()));
  return all;
}

}  // namespace

Diagnostics diagnose(Solver& solver, const State& velocity, const Spectrum& spectrum) {
  const Grid& grid = solver.grid();
  const double nu = solver.settings().nu;
  Diagnostics d{};
  d.energy = spectrum.energy();
  d.enstrophy = spectrum.enstrophy;
  d.dissipation = 2.0 * nu * d.enstrophy;
  d.velocity_rms = std::sqrt(2.0 * d.energy / 3.0);
  d.taylor_microscale = std::sqrt(5.0 * d.energy / d.enstrophy);
  d.reynolds_lambda = d.velocity_rms * d.taylor_microscale / nu;
  double weighted = 0.0;
  for (std::size_t k = 1; k < spectrum.shell_energy.size(); ++k)
    weighted += spectrum.shell_energy[k] / k;
  d.integral_scale = 0.5 * std::numbers::pi / (d.velocity_rms * d.velocity_rms) * weighted;
  d.turnover_time = d.integral_scale / d.velocity_rms;
  d.kolmogorov_scale = std::pow(nu * nu * nu / d.dissipation, 0.25);
  const double largest_k = std::sqrt(2.0) / 3.0 * grid.n();
  d.resolution = largest_k * d.kolmogorov_scale;

  double sums[7] = {};
  const std::vector<double> moments = all_moments(solver, velocity);
  for (std::size_t i = 0; i < moments.size(); ++i)
    sums[i % 7] = i % 7 == 6 ? std::max(sums[6], moments[i]) : sums[i % 7] + moments[i];
  const double points = std::pow(grid.n(), 3);
  for (int direction = 0; direction < 3; ++direction)
    d.skewness +=
        sums[2 * direction + 1] / points / std::pow(sums[2 * direction] / points, 1.5) / 3.0;
  d.courant = solver.settings().dt * sums[6] * largest_k;
  return d;
}

namespace {

// Largest of |k . U|, of |k| |U|, and whether all of it is a number, over the modes of a rank.
struct Extremes {
  double along = 0.0, whole = 0.0;
  bool finite = true;
};

Extremes extremes(const Grid& grid, const State& velocity) {
  Extremes found;
  grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
    const double k[3] = {double(kx), double(ky), double(kz)};
    Complex along = 0.0;
    double squares = 0.0, k_squared = 0.0;
    for (int component = 0; component < 3; ++component) {
      const Complex u =
          velocity[grid.index(plane, grid.index_of(kx), grid.index_of(ky), component)];
      along += k[component] * u, squares += std::norm(u), k_squared += k[component] * k[component];
    }
    found.finite = found.finite && std::isfinite(squares);
    found.along = std::max(found.along, std::norm(along));
    found.whole = std::max(found.whole, k_squared * squares);
  });
  return {std::sqrt(found.along), std::sqrt(found.whole), found.finite};
}

}  // namespace

void require_sound(const Grid& grid, const State& velocity, double enstrophy, std::int64_t step) {
  const Extremes found = extremes(grid, velocity);
  const double scale = std::sqrt(2.0 * enstrophy);
  if (found.finite && std::isfinite(scale) && found.along <= largest_divergence * scale) return;
  const bool finite = found.finite && std::isfinite(scale);
  throw base::UserError(
      base::ExitCode::verification,
      finite
          ? base::explain(fmt::format("the flow is no longer incompressible at step {}", step),
                          fmt::format("its divergence is {:.1e} of its gradient, {:.0e} is allowed",
                                      found.along / scale, largest_divergence),
                          "what follows would be wrong; start from a field that is solenoidal, or "
                          "report this")
          : base::explain(fmt::format("the flow is no longer a number at step {}", step),
                          "the time integration is unstable", "choose a smaller dt"));
}

double divergence(const Grid& grid, const State& velocity,
                  const parallel::Communicator& communicator) {
  const Extremes own = extremes(grid, velocity);
  const double along = communicator.maximum(own.along), whole = communicator.maximum(own.whole);
  if (!communicator.all(own.finite)) return std::numeric_limits<double>::quiet_NaN();
  return whole > 0.0 ? along / whole : 0.0;
}

}  // namespace hakaru::apps::turbulence
