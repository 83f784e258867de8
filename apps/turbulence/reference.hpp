// The nonlinear term by an exactly padded convolution: slow, simple, and sharing no code with the
// solver's transforms.
#pragma once

#include <vector>

#include "apps/turbulence/grid.hpp"

namespace hakaru::apps::turbulence {

// All modes as canonical.hpp's collect() gives them: u -> the rate S - k (k . S) / k^2, S =
// transform of u x curl u on a grid of 2 n points a direction, on which no retained products alias.
std::vector<Complex> padded_rate(int n, const std::vector<Complex>& velocity);

// The same on n points without any removal of aliases: wrong on purpose, to show that the
// difference is seen.
std::vector<Complex> aliased_rate(int n, const std::vector<Complex>& velocity);

// max |a - b| / max |b|
double distance(const std::vector<Complex>& a, const std::vector<Complex>& b);

}  // namespace hakaru::apps::turbulence
