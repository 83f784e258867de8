#include "apps/multiblock_flow/exact_flows.hpp"

#include <cmath>

#include "apps/multiblock_flow/fields.hpp"

namespace hakaru::apps::multiblock_flow {

double sod_density(double xi) {
  constexpr double g = gamma_gas, pressure = 0.3031301781, velocity = 0.9274526200;
  constexpr double behind_fan = 0.4263194282, behind_shock = 0.2655737117, shock = 1.7521557320;
  const double c_left = std::sqrt(g), c_behind = std::sqrt(g * pressure / behind_fan);
  if (xi < -c_left) return 1.0;
  if (xi < velocity - c_behind) {
    // c = 2/(g+1) (c_left - (g-1)/2 xi), density (c / c_left)^(2/(g-1))
    const double c = 2.0 / (g + 1.0) * (c_left - 0.5 * (g - 1.0) * xi);
    return std::pow(c / c_left, 2.0 / (g - 1.0));
  }
  if (xi < velocity) return behind_fan;
  return xi < shock ? behind_shock : 0.125;
}

}  // namespace hakaru::apps::multiblock_flow
