// The random numbers of the NAS parallel benchmarks: x_{k+1} = 5^13 x_k mod 2^46, r_k = 2^-46 x_k
// (Bailey et al., RNR-94-007, section 2.3).
#pragma once

#include <cstdint>

namespace hakaru::apps::ep {

inline constexpr std::uint64_t multiplier = 1'220'703'125;  // 5^13
inline constexpr std::uint64_t seed = 271'828'183;
inline constexpr int modulus_bits = 46;
inline constexpr std::uint64_t modulus_mask = (std::uint64_t{1} << modulus_bits) - 1;

// multiplier^exponent mod 2^46
std::uint64_t power(std::uint64_t exponent);

// x_k with x_0 = seed
inline std::uint64_t state_at(std::uint64_t k) { return seed * power(k) & modulus_mask; }

}  // namespace hakaru::apps::ep
