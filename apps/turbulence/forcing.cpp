#include "apps/turbulence/forcing.hpp"

#include <cstdlib>

namespace hakaru::apps::turbulence {
namespace {
constexpr double band_squared = 2.5 * 2.5;
constexpr int band_reach = 2;
}  // namespace

Forcing::Forcing(const Grid& grid) : grid_(grid) {
  grid.for_each_mode([&](int plane, int kx, int ky, int kz) {
    const int squared = kx * kx + ky * ky + kz * kz;
    if (squared == 0 || squared >= band_squared) return;
    const int ikx = grid.index_of(kx), iky = grid.index_of(ky);
    Mode mode{plane,
              ikx / grid.width(),
              iky,
              ikx % grid.width(),
              {double(kx), double(ky), double(kz)},
              {},
              {},
              kz == 0,
              {}};
    for (int component = 0; component < 3; ++component) {
      mode.place[component] = grid.index(plane, ikx, iky, component);
      mode.partner[component] =
          grid.index(plane, grid.index_of(-kx), grid.index_of(-ky), component);
    }
    modes_.push_back(mode);
  });
}

void Forcing::remember(const State& velocity) {
  for (auto& mode : modes_)
    for (int component = 0; component < 3; ++component) {
      const Complex own = velocity[mode.place[component]];
      mode.value[component] =
          mode.mirrored ? 0.5 * (own + std::conj(velocity[mode.partner[component]])) : own;
    }
}

std::vector<double> Forcing::band_energy(const State& velocity) const {
  std::vector<double> energy(grid_.planes(), 0.0);
  for (const auto& mode : modes_) {
    double squares = 0.0;
    for (int component = 0; component < 3; ++component)
      squares += std::norm(velocity[mode.place[component]]);
    energy[mode.plane] += (mode.mirrored ? 0.5 : 1.0) * squares;
  }
  return energy;
}

bool Forcing::touches(const Block& block, int ky) const {
  const int first = grid_.wavenumber(block.column * grid_.width());
  return block.kz <= band_reach && std::abs(ky) <= band_reach && first <= band_reach &&
         first + grid_.width() - 1 >= -band_reach;
}

void Forcing::add(const Block& block, int iky, double coefficient, Complex* rate,
                  std::size_t stride) const {
  for (const auto& mode : modes_) {
    if (mode.plane != block.plane || mode.column != block.column || mode.iky != iky) continue;
    for (int component = 0; component < 3; ++component)
      rate[component * stride + mode.lane] += coefficient * mode.value[component];
  }
}

void Forcing::make_solenoidal(const Block& block, int iky, Complex* row) const {
  const int width = grid_.width();
  for (const auto& mode : modes_) {
    if (mode.plane != block.plane || mode.column != block.column || mode.iky != iky) continue;
    Complex along = 0.0;
    double k_squared = 0.0;
    for (int component = 0; component < 3; ++component) {
      along += mode.k[component] * row[component * width + mode.lane];
      k_squared += mode.k[component] * mode.k[component];
    }
    for (int component = 0; component < 3; ++component)
      row[component * width + mode.lane] -= mode.k[component] / k_squared * along;
  }
}

}  // namespace hakaru::apps::turbulence
