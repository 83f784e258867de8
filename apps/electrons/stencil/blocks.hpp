// What blocks of vectors need of a call and of a plane, whatever the width of the vectors.
#pragma once

#include <cstddef>

#include "apps/electrons/stencil/stencil.hpp"

namespace hakaru::apps::electrons::stencil {

// Values that every block needs.
struct Constants {
  const StencilCoefficients& stencil;
  const double* potential;
  double* out;
  double* sum;
  Complex factor;
  std::size_t prefetch_bytes;
  std::size_t rows;
};

// Where the rows along z are read: the grid's own, with the periodic points of a row's ends in
// `edges` (the last four points, then the first four), or padded copies, which need no edges.
struct RowsAlongZ {
  const double* first;
  std::size_t pitch;
  const double* edges;
};

inline constexpr std::size_t reach_numbers = 2 * stencil_reach;
inline constexpr std::size_t edge_pitch = 2 * reach_numbers;

}  // namespace hakaru::apps::electrons::stencil
