#include "apps/electrons/exchange_correlation.hpp"

#include <cmath>
#include <numbers>

namespace hakaru::apps::electrons {

ExchangeCorrelation exchange_correlation(double density) {
  if (!(density > 1e-20)) return {};
  const double rs = std::cbrt(3.0 / (4.0 * std::numbers::pi * density));
  const double exchange = -0.4581652932831429 / rs;
  ExchangeCorrelation result{exchange, 4.0 / 3.0 * exchange};
  if (rs >= 1.0) {
    constexpr double g = -0.1423, b1 = 1.0529, b2 = 0.3334;
    const double root = std::sqrt(rs), below = 1.0 + b1 * root + b2 * rs;
    const double correlation = g / below;
    result.energy += correlation;
    result.potential += correlation * (1.0 + 7.0 / 6.0 * b1 * root + 4.0 / 3.0 * b2 * rs) / below;
  } else {
    constexpr double a = 0.0311, b = -0.048, c = 0.0020, d = -0.0116;
    const double log_rs = std::log(rs);
    result.energy += a * log_rs + b + c * rs * log_rs + d * rs;
    result.potential +=
        a * log_rs + (b - a / 3.0) + 2.0 / 3.0 * c * rs * log_rs + (2.0 * d - c) / 3.0 * rs;
  }
  return result;
}

}  // namespace hakaru::apps::electrons
