// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw (SC 2011).
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace hakaru::apps::turbulence {

// Four random words for a counter and a key.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::uint64_t key) {
  auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0],
                        b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ low, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ high, static_cast<std::uint32_t>(a)};
    low += 0x9E3779B9, high += 0xBB67AE85;
  }
  return counter;
}

// Two independent normal numbers of variance 1 (Box and Muller).
inline std::complex<double> normal_pair(const std::array<std::uint32_t, 4>& words) {
  const std::uint64_t a = (std::uint64_t{words[0]} << 32) | words[1],
                      b = (std::uint64_t{words[2]} << 32) | words[3];
  const double radius = (static_cast<double>(a >> 11) + 0.5) * 0x1p-53;  // in (0, 1)
  const double angle = static_cast<double>(b >> 11) * 0x1p-53;
  return std::polar(std::sqrt(-2.0 * std::log(radius)), 2.0 * std::numbers::pi * angle);
}

}  // namespace hakaru::apps::turbulence
