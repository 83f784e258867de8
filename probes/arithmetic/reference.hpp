// What the kernels must give, computed in another way: closed forms in long double, the C library
// for exp.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/arithmetic/kernels.hpp"

namespace hakaru::probes::arithmetic {

// Operands a and b of a chain kernel.
template <typename Real>
struct Operands {
  Real a, b;
};

// Operands for millions of iterations: the chains stay bounded, and their values stay known.
//   add 1: integers; multiply -1: x, -x; fma x -> b - x: x, b - x; divide a / x: x, a / x; root:
//   the fixed point.
template <typename Real>
Operands<Real> lasting_operands(Kernel kernel);
// Operands for which each iteration changes the result; for a few dozen iterations.
template <typename Real>
Operands<Real> telling_operands(Kernel kernel);

// First values of `count` numbers for a chain kernel with these operands.
template <typename Real>
std::vector<Real> first_values(Kernel kernel, std::size_t count, Operands<Real> operands);
// Arguments of a map kernel: [-ln 2 / 2, ln 2 / 2] for the polynomial, [-20, 20] for exp.
template <typename Real>
std::vector<Real> map_arguments(Kernel kernel);

// Value of a chain that began at x, after `iterations`.
long double chain_value(Kernel kernel, long double x, std::int64_t iterations, long double a,
                        long double b);

// Largest |value - reference| / |reference| over the numbers; infinite when one is not finite.
template <typename Real>
double chain_error(Kernel kernel, const std::vector<Real>& first, const std::vector<Real>& values,
                   std::int64_t iterations, Operands<Real> operands);
template <typename Real>
double map_error(const std::vector<Real>& arguments, const std::vector<Real>& values);

// Bound on that error from the rounding of each step (Higham, Accuracy and Stability of Numerical
// Algorithms, ch. 3 and 5).
template <typename Real>
double chain_tolerance(Kernel kernel, std::int64_t iterations, bool lasting);
template <typename Real>
double map_tolerance(Kernel kernel);

}  // namespace hakaru::probes::arithmetic
