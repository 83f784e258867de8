#include "apps/ep/random.hpp"

namespace hakaru::apps::ep {

std::uint64_t power(std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (std::uint64_t square = multiplier; exponent > 0; exponent /= 2, square *= square)
    if (exponent % 2 == 1) result *= square;
  return result & modulus_mask;
}

}  // namespace hakaru::apps::ep
