// What recursive doubling takes.
#pragma once

#include <bit>
#include <cstdint>

namespace hakaru::base {

// Rounds of recursive doubling among so many ranks: ceil(log2 ranks).
constexpr int doubling_rounds(std::int64_t ranks) {
  return std::bit_width(static_cast<std::uint64_t>(ranks - 1));
}

}  // namespace hakaru::base
