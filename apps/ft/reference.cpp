#include "apps/ft/reference.hpp"

#include <cmath>
#include <numbers>

#include "native/base/nas_random.hpp"

namespace hakaru::apps::ft {
namespace {

// Real, because the waves k and -k decay alike; only k = -n/2 has no partner, and its part of the
// kernel, (-1)^j, is real too.
std::vector<double> kernel(std::int64_t n, double t) {
  std::vector<double> values(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t k = -(n / 2); k < n - n / 2; ++k) {
      const double pi = std::numbers::pi, wave = static_cast<double>(k);
      values[j] += std::exp(-4.0 * pi * pi * alpha * wave * wave * t) *
                   std::cos(2.0 * pi * static_cast<double>(j * k % n) / static_cast<double>(n)) /
                   static_cast<double>(n);
    }
  return values;
}

}  // namespace

std::vector<Complex> reference_field(const Grid& grid, std::int64_t t) {
  const auto& n = grid.n;
  std::vector<Complex> field(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  base::nas::Random random(0);
  for (Complex& value : field) {
    const double real = random.next();
    value = {real, random.next()};
  }
  std::int64_t step = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double> weight = kernel(n[axis], static_cast<double>(t));
    std::vector<Complex> smoothed(field.size());
    for (std::size_t at = 0; at < field.size(); ++at) {
      const auto i = static_cast<std::int64_t>(at) / step % n[axis];
      const Complex* line = field.data() + at - i * step;
      for (std::int64_t j = 0; j < n[axis]; ++j)
        smoothed[at] += weight[(i - j + n[axis]) % n[axis]] * line[j * step];
    }
    field = std::move(smoothed);
    step *= n[axis];
  }
  return field;
}

Complex checksum_of(const Grid& grid, const std::vector<Complex>& field) {
  const auto& n = grid.n;
  Complex sum;
  for (std::int64_t j = 1; j <= checksum_terms; ++j)
    sum += field[j % n[0] + n[0] * (3 * j % n[1] + n[1] * (5 * j % n[2]))];
  return sum;
}

}  // namespace hakaru::apps::ft
