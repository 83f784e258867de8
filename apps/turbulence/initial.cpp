#include "apps/turbulence/initial.hpp"

#include <array>
#include <cmath>

#include "apps/turbulence/diagnostics.hpp"
#include "apps/turbulence/philox.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::turbulence {
namespace {

using Vector = std::array<Complex, 3>;

// Sets every retained mode of this rank to mode(kx, ky, kz).
template <typename Mode>
void set_modes(const Grid& grid, State& velocity, Mode&& mode) {
  grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
    const Vector value = mode(kx, ky, kz);
    for (int component = 0; component < 3; ++component)
      velocity[grid.index(plane, grid.index_of(kx), grid.index_of(ky), component)] =
          value[component];
  });
}

// Coefficients of sin(q) and cos(q) at wavenumber k = +-1 along an axis.
constexpr Complex sine(int k) { return {0.0, -0.5 * k}; }
constexpr double cosine = 0.5;

Vector taylor_green_mode(int kx, int ky, int kz) {
  if (kx * kx != 1 || ky * ky != 1 || kz * kz != 1) return {};
  return {sine(kx) * cosine * cosine, -sine(ky) * cosine * cosine, 0.0};
}

Vector abc_mode(int kx, int ky, int kz) {
  constexpr double a = 1.0, b = 0.7, c = 0.43;
  Vector u{};
  if (kx * kx + ky * ky + kz * kz != 1) return u;
  if (kz != 0) u[0] = a * sine(kz), u[1] = a * cosine;
  if (ky != 0) u[0] = c * cosine, u[2] = c * sine(ky);
  if (kx != 0) u[1] = b * sine(kx), u[2] = b * cosine;
  return u;
}

// On the plane kz = 0 a mode and its conjugate partner are made from the same random numbers.
Vector random_mode(int kx, int ky, int kz, std::uint64_t seed, double peak) {
  const double k_squared = double(kx) * kx + double(ky) * ky + double(kz) * kz;
  if (k_squared == 0.0) return {};
  const bool mirrored = kz == 0 && (ky < 0 || (ky == 0 && kx < 0));
  if (mirrored) kx = -kx, ky = -ky;
  Vector u;
  for (std::uint32_t component = 0; component < 3; ++component)
    u[component] =
        normal_pair(philox({static_cast<std::uint32_t>(kx), static_cast<std::uint32_t>(ky),
                            static_cast<std::uint32_t>(kz), component},
                           seed));
  const double k[3] = {double(kx), double(ky), double(kz)};
  const Complex along = (k[0] * u[0] + k[1] * u[1] + k[2] * u[2]) / k_squared;
  // |U|^2 ~ E(k) / k^2, for the shell holds about 4 pi k^2 modes.
  const double amplitude = std::sqrt(k_squared) * std::exp(-k_squared / (peak * peak));
  for (int component = 0; component < 3; ++component) {
    u[component] = amplitude * (u[component] - k[component] * along);
    if (mirrored) u[component] = std::conj(u[component]);
  }
  return u;
}

}  // namespace

void set_taylor_green(const Grid& grid, State& velocity) {
  set_modes(grid, velocity, taylor_green_mode);
}

void set_abc(const Grid& grid, State& velocity) { set_modes(grid, velocity, abc_mode); }

void set_random(const Grid& grid, State& velocity, std::uint64_t seed, double peak,
                const parallel::Communicator& communicator) {
  set_modes(grid, velocity,
            [&](int kx, int ky, int kz) { return random_mode(kx, ky, kz, seed, peak); });
  const double energy = spectrum_of(grid, velocity, communicator).energy();
  const double factor = std::sqrt(0.5 / energy);
  grid.for_each_mode([&](int plane, int kx, int ky, int) {
    for (int component = 0; component < 3; ++component)
      velocity[grid.index(plane, grid.index_of(kx), grid.index_of(ky), component)] *= factor;
  });
}

void set_flow(const std::string& flow, const Grid& grid, State& velocity, std::uint64_t seed,
              double peak, const parallel::Communicator& communicator) {
  if (flow == "taylor_green") return set_taylor_green(grid, velocity);
  if (flow == "abc") return set_abc(grid, velocity);
  HAKARU_EXPECTS(flow == "random");
  set_random(grid, velocity, seed, peak, communicator);
}

}  // namespace hakaru::apps::turbulence
