// Sums that are the same in any order, on any number of ranks and threads: every summand is rounded
// to a multiple of one quantum q, and doubles that are multiples of q add up without rounding while
// their sum is below 2^53 q (the extraction step of Rump, Ogita, Oishi: Accurate floating-point
// summation, SIAM J. Sci. Comput. 31 (2008), with a bound known beforehand). Beyond it the sum is a
// plain one.
#pragma once

namespace hakaru::apps::electrons {

// x to a multiple of bound / 2^53; `bound` is a power of two and |x| at most bound / 4.
inline double rounded(double x, double bound) {
  const double shift = 0.75 * bound;
  return (x + shift) - shift;
}

// Of a density in electrons per cubic bohr; of a current times the volume and of energies in atomic
// units; of the squares of orbitals on all points.
inline constexpr double density_bound = 8.0, current_bound = 4096.0, squares_bound = 65536.0;

}  // namespace hakaru::apps::electrons
