// Bits that look random and depend on a number alone: the finaliser of SplitMix64 (Steele, Lea and
// Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace hakaru::base {

// 2^64 over the golden ratio: SplitMix64's step from one number to the next.
inline constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15;

constexpr std::uint64_t mixed_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace hakaru::base
