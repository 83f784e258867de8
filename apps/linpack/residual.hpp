// The residuals by which HPL judges a solution; each must be below 16.
#pragma once

#include "apps/linpack/solver.hpp"

namespace hakaru::apps::linpack {

inline constexpr double residual_limit = 16.0;
inline constexpr double epsilon = 0x1p-53;  // HPL's: half of the distance from 1 to the next double

struct Residuals {
  double scaled;  // |Ax - b|_oo / (eps (|A|_oo |x|_oo + |b|_oo) n): HPL 2
  // HPL 1 and HPCC: |Ax - b|_oo over eps |A|_1 n; eps |A|_1 |x|_1; eps |A|_oo |x|_oo.
  double by_order, by_one_norms, by_largest;
};

// Of the last run() of the whole problem. A and b are generated anew. Collective.
Residuals residuals_of(const Solver& solver);
// Where only the first panels were eliminated: |U 1 - b'|_oo as `scaled`, with x = 1.
double partial_residual(const Solver& solver);

}  // namespace hakaru::apps::linpack
