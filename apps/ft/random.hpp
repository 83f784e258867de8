// The linear congruential generator of the NAS Parallel Benchmarks: x_{k+1} = a x_k mod 2^46.
#pragma once

#include <cstdint>

namespace hakaru::apps::ft {

class Random {
 public:
  static constexpr std::uint64_t multiplier = 1220703125;  // 5^13
  static constexpr std::uint64_t seed = 314159265;

  // Just before the number with this index (0: the first one).
  explicit Random(std::uint64_t index) : state_(product(power(index), seed)) {}

  // Uniform in (0, 1).
  double next() {
    state_ = product(multiplier, state_);
    return static_cast<double>(state_) * 0x1p-46;
  }

 private:
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
  static constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    return (a * b) & mask;  // modulo 2^64 first, which 2^46 divides
  }
  static constexpr std::uint64_t power(std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (std::uint64_t base = multiplier; exponent > 0; exponent >>= 1) {
      if (exponent & 1) result = product(result, base);
      base = product(base, base);
    }
    return result;
  }

  std::uint64_t state_;
};

}  // namespace hakaru::apps::ft
