// What the kernels work on, and what they must give.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hakaru::probes::vector_length {

// Of the polynomial: 1 / k!.
inline constexpr std::array<double, 10> coefficients{
    1.0,         1.0,         1.0 / 2.0,    1.0 / 6.0,     1.0 / 24.0,
    1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362880.0};

struct Vectors {
  // Allocates for so many elements and touches them on the calling thread.
  explicit Vectors(std::int64_t most);
  // The values of a vector of n elements: x and y multiples of 2^-20 in [1, 2), so that y + x and
  // y + x - x are exact; full: full significands in [1, 2); equal: one value; places: a
  // permutation.
  void fill(std::int64_t n);

  std::int64_t length = 0;
  std::vector<double> x, y, z, full, equal;
  std::vector<std::int32_t> places;
};

// The first values of y.
double first_y(std::int64_t i);

inline constexpr int bytes_of_element = 5 * 8 + 4;  // of all of these

}  // namespace hakaru::probes::vector_length
