// Gaussian elimination as it is taught, to be held against.
#pragma once

#include <cstdint>
#include <vector>

namespace hakaru::apps::linpack {

struct Eliminated {
  std::vector<double> x;
  std::vector<std::int64_t> pivots;  // row that changed places with row k
};
// Of the generated matrix of order n, row by row and column by column, in long double.
Eliminated plain_elimination(std::uint64_t seed, std::int64_t n);

}  // namespace hakaru::apps::linpack
