#include "probes/arithmetic/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "native/base/require.hpp"

namespace hakaru::probes::arithmetic {
namespace {

double relative(long double value, long double reference) {
  const long double error = std::fabs(value - reference) / std::fabs(reference);
  return std::isfinite(error) ? static_cast<double>(error)
                              : std::numeric_limits<double>::infinity();
}

// The map x -> sqrt(x + a) contracts by less than 1/2 for a > 0.25, so 200 steps reach the fixed
// point in long double.
long double root_chain(long double x, std::int64_t iterations, long double a) {
  if (iterations > 200) return 0.5L * (1.0L + std::sqrt(1.0L + 4.0L * a));
  for (std::int64_t i = 0; i < iterations; ++i) x = std::sqrt(x + a);
  return x;
}

// Geometric series: x_n = f + (x - f) a^n with the fixed point f = b / (1 - a).
long double linear_chain(long double x, std::int64_t iterations, long double a, long double b) {
  const long double fixed = b / (1.0L - a);
  const long double power = a == -1.0L ? (iterations % 2 ? -1.0L : 1.0L)
                                       : std::pow(a, static_cast<long double>(iterations));
  return fixed + (x - fixed) * power;
}

}  // namespace

template <typename Real>
Operands<Real> lasting_operands(Kernel kernel) {
  switch (kernel) {
    case Kernel::add:
      return {Real(1), Real(0)};
    case Kernel::multiply:
      return {Real(-1), Real(0)};
    case Kernel::fma:
      return {Real(-1), std::numbers::pi_v<Real>};
    case Kernel::divide:
      return {std::numbers::e_v<Real>, Real(0)};
    default:
      return {std::numbers::sqrt3_v<Real>, Real(0)};
  }
}

template <typename Real>
Operands<Real> telling_operands(Kernel kernel) {
  switch (kernel) {
    case Kernel::multiply:
      return {Real(0.9L), Real(0)};
    case Kernel::fma:
      return {Real(0.9L), Real(0.7L)};
    default:
      return lasting_operands<Real>(kernel);
  }
}

template <typename Real>
std::vector<Real> first_values(Kernel kernel, std::size_t count, Operands<Real> operands) {
  std::vector<Real> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    // In (0, 1), all different, with full significands.
    const Real spread =
        static_cast<Real>((static_cast<long double>(i) + 0.5L) /
                          (static_cast<long double>(count) + std::numbers::egamma_v<long double>));
    if (kernel == Kernel::add) values[i] = static_cast<Real>(i % 256);
    // From b / 2 to 0.9 b the difference b - x is exact (Sterbenz), and so is b - (b - x).
    else if (kernel == Kernel::fma)
      values[i] = operands.b * (Real(0.5L) + Real(0.4L) * spread);
    else
      values[i] = Real(1) + spread;
  }
  return values;
}

template <typename Real>
std::vector<Real> map_arguments(Kernel kernel) {
  const long double limit =
      kernel == Kernel::polynomial ? std::numbers::ln2_v<long double> / 2 : 20.0L;
  std::vector<Real> x(map_count);
  for (std::size_t i = 0; i < map_count; ++i)
    x[i] = static_cast<Real>(limit * (2.0L * static_cast<long double>(i) / (map_count - 1) - 1.0L));
  return x;
}

long double chain_value(Kernel kernel, long double x, std::int64_t iterations, long double a,
                        long double b) {
  switch (kernel) {
    case Kernel::add:
      return x + static_cast<long double>(iterations) * a;
    case Kernel::multiply:
      return linear_chain(x, iterations, a, 0.0L);
    case Kernel::fma:
      return linear_chain(x, iterations, a, b);
    case Kernel::divide:
      return iterations % 2 ? a / x : x;
    case Kernel::square_root:
      return root_chain(x, iterations, a);
    default:
      HAKARU_EXPECTS(!is_map(kernel));
  }
  return 0.0L;
}

template <typename Real>
double chain_error(Kernel kernel, const std::vector<Real>& first, const std::vector<Real>& values,
                   std::int64_t iterations, Operands<Real> operands) {
  HAKARU_EXPECTS(first.size() == values.size() && iterations > 0);
  double worst = 0.0;
  for (std::size_t i = 0; i < first.size(); ++i)
    worst = std::max(worst, relative(values[i], chain_value(kernel, first[i], iterations,
                                                            operands.a, operands.b)));
  return worst;
}

template <typename Real>
double map_error(const std::vector<Real>& arguments, const std::vector<Real>& values) {
  HAKARU_EXPECTS(arguments.size() == values.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    worst = std::max(worst, relative(values[i], std::exp(static_cast<long double>(arguments[i]))));
  return worst;
}

template <typename Real>
double chain_tolerance(Kernel kernel, std::int64_t iterations, bool lasting) {
  const double epsilon = std::numeric_limits<Real>::epsilon();
  switch (kernel) {
    case Kernel::add:
      return 0.0;
    case Kernel::multiply:
      return lasting ? 0.0 : static_cast<double>(iterations) * epsilon;
    // Positive values and operands: each step adds at most half a unit in the last place and none
    // is amplified.
    case Kernel::fma:
      return lasting ? 2.0 * epsilon : static_cast<double>(iterations) * epsilon;
    case Kernel::divide:
      return 2.0 * epsilon;
    default:
      return 2.0 * epsilon;
  }
}

template <typename Real>
double map_tolerance(Kernel kernel) {
  const double epsilon = std::numeric_limits<Real>::epsilon();
  // Horner with fused operations: degree * epsilon / 2 * sum |c x^k| / |p|, where the quotient is
  // at most exp(2 |x|) = 2. exp: Highway documents one unit in the last place.
  return kernel == Kernel::polynomial ? polynomial_degree * epsilon : 2.0 * epsilon;
}

template Operands<double> lasting_operands(Kernel);
template Operands<float> lasting_operands(Kernel);
template Operands<double> telling_operands(Kernel);
template Operands<float> telling_operands(Kernel);
template std::vector<double> first_values(Kernel, std::size_t, Operands<double>);
template std::vector<float> first_values(Kernel, std::size_t, Operands<float>);
template std::vector<double> map_arguments(Kernel);
template std::vector<float> map_arguments(Kernel);
template double chain_error(Kernel, const std::vector<double>&, const std::vector<double>&,
                            std::int64_t, Operands<double>);
template double chain_error(Kernel, const std::vector<float>&, const std::vector<float>&,
                            std::int64_t, Operands<float>);
template double map_error(const std::vector<double>&, const std::vector<double>&);
template double map_error(const std::vector<float>&, const std::vector<float>&);
template double chain_tolerance<double>(Kernel, std::int64_t, bool);
template double chain_tolerance<float>(Kernel, std::int64_t, bool);
template double map_tolerance<double>(Kernel);
template double map_tolerance<float>(Kernel);

}  // namespace hakaru::probes::arithmetic
