#include "probes/reduction/methods.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "native/parallel/exact_sum.hpp"

namespace hakaru::probes::reduction {

namespace {

using parallel::ExactSum;

constexpr int group_binades = 32, window_bits = 112;  // two limbs of 56 bits and 21 for carries

double plain(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

double tree(std::span<const double> values) {
  if (values.size() <= 2) return plain(values);
  const std::size_t half = values.size() / 2;
  return tree(values.first(half)) + tree(values.subspan(half));
}

// Neumaier, Zeitschrift fuer angewandte Mathematik und Mechanik 54 (1974).
double compensated(std::span<const double> values) {
  double sum = 0.0, lost = 0.0;
  for (const double value : values) {
    const double next = sum + value;
    lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    sum = next;
  }
  return sum + lost;
}

double largest_of(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Operands cut to multiples of 2^unit towards minus infinity, as a shift of two's complement does;
// the accumulator is wide enough to add these without a further error.
double fixed_point(std::span<const double> values, int unit) {
  ExactSum sum;
  for (const double value : values) sum.add(std::ldexp(std::floor(std::ldexp(value, -unit)), unit));
  return sum.value();
}

double two_pass(std::span<const double> values) {
  const double largest = largest_of(values);
  return largest == 0.0 ? 0.0 : fixed_point(values, std::ilogb(largest) - 52);
}

double one_pass(std::span<const double> values) {
  const double largest = largest_of(values);
  if (largest == 0.0) return 0.0;
  const int group =
      static_cast<int>(std::floor(static_cast<double>(std::ilogb(largest)) / group_binades));
  return fixed_point(values, group * group_binades + group_binades - window_bits);
}

double exact(std::span<const double> values) {
  ExactSum sum;
  sum.add(values);
  return sum.value();
}

}  // namespace

std::string name_of(Method method) {
  switch (method) {
    case Method::plain:
      return "plain";
    case Method::tree:
      return "tree";
    case Method::compensated:
      return "compensated";
    case Method::two_pass:
      return "two-pass";
    case Method::one_pass:
      return "one-pass";
    case Method::exact:
      break;
  }
  return "exact";
}

double sum_of(Method method, std::span<const double> values) {
  switch (method) {
    case Method::plain:
      return plain(values);
    case Method::tree:
      return tree(values);
    case Method::compensated:
      return compensated(values);
    case Method::two_pass:
      return two_pass(values);
    case Method::one_pass:
      return one_pass(values);
    case Method::exact:
      break;
  }
  return exact(values);
}

double right_bits(double sum, std::span<const double> values) {
  ExactSum whole;
  whole.add(values);
  ExactSum rest = whole;
  rest.add(-sum);
  const double size = std::abs(whole.value()), error = std::abs(rest.value());
  if (error == 0.0) return most_bits;
  if (size == 0.0 || !std::isfinite(error)) return 0.0;
  return std::clamp(std::log2(size) - std::log2(error), 0.0, most_bits);
}

std::vector<double> random_operands(const Operands& operands, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(static_cast<std::size_t>(operands.count));
  for (double& value : values) {
    const std::uint64_t bits = random();
    // Uniform in (0, 1) with all bits of the fraction in every binade.
    const double mantissa = 1.0 + static_cast<double>(bits >> 12) * 0x1p-52;
    const double magnitude = std::ldexp(mantissa, -1 - std::countl_zero(random() | 1));
    const auto binade =
        static_cast<int>(random() % static_cast<std::uint64_t>(operands.binades + 1));
    value = std::ldexp((bits & 1) != 0 && !operands.positive ? -magnitude : magnitude, -binade);
  }
  return values;
}

}  // namespace hakaru::probes::reduction
