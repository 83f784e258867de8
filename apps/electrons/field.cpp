#include "apps/electrons/field.hpp"

#include <cmath>
#include <numbers>

namespace hakaru::apps::electrons {

double Field::vector_potential(double time) const {
  if (kind == Kind::impulse) return time >= 0.0 ? impulse : 0.0;
  if (kind == Kind::none || time <= 0.0 || time >= duration) return 0.0;
  const double envelope = std::sin(std::numbers::pi * time / duration);
  return -amplitude / frequency * envelope * envelope *
         std::cos(frequency * (time - 0.5 * duration));
}

double amplitude_of_intensity(double intensity) { return std::sqrt(intensity / intensity_unit); }

}  // namespace hakaru::apps::electrons
