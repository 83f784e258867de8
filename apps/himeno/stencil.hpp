// The kernel: one damped Jacobi step of the 19-point pressure equation over rows of a block.
#pragma once

#include <cstdint>

#include "apps/himeno/decomposition.hpp"

namespace hakaru::apps::himeno {

template <typename Real>
struct Arrays {
  const Shape& shape;
  const Real* coefficients;  // interleaved by cache line, one row after the other; see Block
  const Real* now;
  Real* next;
};

// Updates the rows [first, last) of interior rows, counted along y, then z, and returns the sum of
// squared residuals, accumulated in double precision.
//   s    = a0 p(z+1) + a1 p(y+1) + a2 p(x+1) + c0 p(z-1) + c1 p(y-1) + c2 p(x-1) + wrk1
//        + b0 (p(z+1,y+1) - p(z+1,y-1) - p(z-1,y+1) + p(z-1,y-1)) + b1 (same in y, x) + b2 (same in
//        z, x)
//   r    = (a3 s - p) bnd,    gosa += r^2,    next = p + omega r
// `streaming` writes around the cache. Instantiated for float and double.
template <typename Real>
double update_rows(const Arrays<Real>& arrays, std::int64_t first, std::int64_t last,
                   bool streaming);

}  // namespace hakaru::apps::himeno
