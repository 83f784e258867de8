// Consecutive elements dealt out to ranks, threads or other parts, as evenly as they go.
#pragma once

#include <cstdint>

namespace hakaru::base {

struct Share {
  std::int64_t first, count;
  constexpr std::int64_t end() const { return first + count; }
};

// first(part) = floor(length part / parts)
constexpr Share share_of(std::int64_t length, std::int64_t part, std::int64_t parts) {
  const std::int64_t first = length * part / parts;
  return {first, length * (part + 1) / parts - first};
}

}  // namespace hakaru::base
