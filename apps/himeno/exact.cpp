#include "apps/himeno/exact.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "native/base/share.hpp"

namespace hakaru::apps::himeno {
namespace {

struct Mode {
  double weight;     // c_k^2
  double decrement;  // omega (2/3) sin^2(theta / 2)
};

std::vector<Mode> odd_modes(std::int64_t interior) {
  std::vector<Mode> modes;
  for (std::int64_t k = 1; k <= interior; k += 2) {
    const double half =
        0.5 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(interior + 1);
    const double sine = std::sin(half), cotangent = std::cos(half) / sine;
    modes.push_back({2.0 / static_cast<double>(interior + 1) * cotangent * cotangent,
                     relaxation * 2.0 / 3.0 * sine * sine});
  }
  return modes;
}

}  // namespace

Exact exact_share(const Grid& grid, std::int64_t iterations, int part, int parts) {
  const auto x = odd_modes(grid.x - 2), y = odd_modes(grid.y - 2), z = odd_modes(grid.z - 2);
  const base::Share own =
      base::share_of(static_cast<std::int64_t>(y.size() * z.size()), part, parts);
  const double n = static_cast<double>(iterations);
  const double last = static_cast<double>(grid.z - 1);
  const double first_residual = 1.0 / (3.0 * last * last);
  parallel::ExactSum gosa, pressure_sum;
#pragma omp parallel for reduction(parallel::exact : gosa, pressure_sum)
  for (std::int64_t pair = own.first; pair < own.end(); ++pair) {
    const Mode& of_y = y[pair % y.size()];
    const Mode& of_z = z[pair / y.size()];
    double squares = 0.0, growth = 0.0;
    for (const Mode& of_x : x) {
      const double weight = of_x.weight * of_y.weight * of_z.weight;
      const double decrement = of_x.decrement + of_y.decrement + of_z.decrement;
      const double mu = 1.0 - decrement;
      if (decrement < 0.5) {
        const double logarithm = std::log1p(-decrement);
        squares += weight * std::exp(2.0 * (n - 1.0) * logarithm);
        growth += weight * -std::expm1(n * logarithm) / decrement;
      } else {
        squares += weight * std::pow(mu, 2.0 * (n - 1.0));
        growth += weight * (1.0 - std::pow(mu, n)) / decrement;
      }
    }
    gosa.add(first_residual * first_residual * squares);
    pressure_sum.add(relaxation * first_residual * growth);
  }
  Exact share{gosa, pressure_sum};
  if (part == 0) {
    const double z_squares = (last - 1.0) * last * (2.0 * last - 1.0) / 6.0 / (last * last);
    share.pressure_sum.add(static_cast<double>(grid.x - 2) * static_cast<double>(grid.y - 2) *
                           z_squares);
  }
  return share;
}

}  // namespace hakaru::apps::himeno
