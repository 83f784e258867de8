// Transforms along z of two real fields as one complex field, within a plane of constant y.
#pragma once

#include "apps/turbulence/workspace.hpp"

namespace hakaru::apps::turbulence {

// Rows f(kz, x), g(kz, x) of the half spectrum, `rows` of them -> columns of f + ig over all kz.
// After the inverse transform along z the real part is f and the imaginary part is g.
//   kz > 0: H(kz) = F + iG, H(n - kz) = conj(F) + i conj(G);  H(0) = Re F + i Re G
void combine(Scratch& scratch, int f, int g, int column, int first_x, int n, int row_width,
             int rows);

// The reverse of combine with a factor 2: columns of the transform of f + ig -> rows 2 F(kz, x), 2
// G(kz, x).
void separate(Scratch& scratch, int column, int f, int g, int first_x, int n, int row_width,
              int rows);

}  // namespace hakaru::apps::turbulence
