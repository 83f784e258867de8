#include "apps/electrons/response.hpp"

#include <numbers>

namespace hakaru::apps::electrons {

using std::numbers::pi;
using Complex = std::complex<double>;

std::vector<ResponsePoint> response(const std::vector<double>& currents, double dt, double impulse,
                                    bool longitudinal, const std::vector<double>& energies) {
  std::vector<ResponsePoint> points;
  const double whole = dt * static_cast<double>(currents.size() - 1);
  for (const double w : energies) {
    Complex sum = 0.0;
    for (std::size_t n = 0; n < currents.size(); ++n) {
      const double t = dt * static_cast<double>(n), x = t / whole;
      const double weight = (n == 0 || n + 1 == currents.size() ? 0.5 : 1.0) * dt *
                            (1.0 - 3.0 * x * x + 2.0 * x * x * x);
      sum += weight * currents[n] * std::polar(1.0, w * t);
    }
    ResponsePoint point;
    point.energy = w;
    point.conductivity = sum / impulse;
    const Complex answer = Complex(0.0, 4.0 * pi) * point.conductivity / w;
    point.dielectric = longitudinal ? 1.0 / (1.0 - answer) : 1.0 + answer;
    points.push_back(point);
  }
  return points;
}

double sum_rule(const std::vector<ResponsePoint>& points, double electron_density) {
  double sum = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i)
    sum += 0.5 * (points[i].energy - points[i - 1].energy) *
           (points[i].conductivity.real() + points[i - 1].conductivity.real());
  return sum / (0.5 * pi * electron_density);
}

}  // namespace hakaru::apps::electrons
