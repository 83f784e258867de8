// The same diffusion by sums instead of fast transforms: an independent code for small grids.
#pragma once

#include <vector>

#include "apps/ft/problem.hpp"

namespace hakaru::apps::ft {

// The field after `t` iterations, x fastest: the initial random numbers convolved along each axis
// with the kernel (1 / n) sum over k of exp(-4 pi^2 alpha k^2 t) exp(2 pi i j k / n).
std::vector<Complex> reference_field(const Grid& grid, std::int64_t t);

Complex checksum_of(const Grid& grid, const std::vector<Complex>& field);

}  // namespace hakaru::apps::ft
