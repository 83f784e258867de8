// The random numbers of the NAS Parallel Benchmarks: x_{k+1} = 5^13 x_k mod 2^46, r_k = 2^-46 x_k
// (Bailey et al., RNR-94-007, section 2.3).
#pragma once

#include <cstdint>

namespace hakaru::base::nas {

inline constexpr std::uint64_t multiplier = 1'220'703'125;  // 5^13
inline constexpr std::uint64_t usual_seed = 314'159'265;    // of all benchmarks but EP
inline constexpr int modulus_bits = 46;
inline constexpr std::uint64_t modulus_mask = (std::uint64_t{1} << modulus_bits) - 1;

// multiplier^exponent mod 2^46. Products are taken modulo 2^64, which 2^46 divides.
constexpr std::uint64_t power(std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (std::uint64_t square = multiplier; exponent > 0; exponent /= 2, square *= square)
    if (exponent % 2 == 1) result *= square;
  return result & modulus_mask;
}

// x_index with x_0 = seed
constexpr std::uint64_t state_at(std::uint64_t index, std::uint64_t seed = usual_seed) {
  return seed * power(index) & modulus_mask;
}

class Random {
 public:
  // Just before the number with this index (0: the first one).
  explicit constexpr Random(std::uint64_t index = 0, std::uint64_t seed = usual_seed)
      : state_(state_at(index, seed)) {}

  constexpr std::uint64_t next_state() { return state_ = state_ * multiplier & modulus_mask; }
  // Uniform in (0, 1).
  constexpr double next() { return static_cast<double>(next_state()) * 0x1p-46; }

 private:
  std::uint64_t state_;
};

}  // namespace hakaru::base::nas
