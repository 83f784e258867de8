// Random numbers that depend on what they are for alone, such as seed, sweep, site and purpose. So
// no division of the work changes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

#include "native/base/mixed_bits.hpp"

namespace hakaru::base {

class KeyedRandom {
 public:
  explicit KeyedRandom(std::initializer_list<std::uint64_t> purpose) {
    for (const std::uint64_t part : purpose) state_ = mixed_bits(state_ ^ (part + golden_step));
  }

  // Leaves out so many of what uniform() would give.
  void skip(std::uint64_t numbers) { state_ += numbers * golden_step; }

  // Uniform in (0, 1).
  double uniform() {
    state_ += golden_step;
    return (static_cast<double>(mixed_bits(state_) >> 11) + 0.5) * 0x1p-53;
  }
  // Normal, of variance 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace hakaru::base
