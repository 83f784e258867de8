#include "probes/messages/pattern.hpp"

namespace hakaru::probes::messages {
namespace {

// High byte of Knuth's multiplicative hash of the position, so that a shift by any power of two
// shows.
char pattern_byte(std::int64_t position, std::uint64_t seed) {
  const std::uint64_t mixed =
      (static_cast<std::uint64_t>(position) + 0x9e3779b97f4a7c15u * (seed + 1)) *
      0x9e3779b97f4a7c15u;
  return static_cast<char>(mixed >> 56);
}

}  // namespace

void fill_pattern(char* data, std::int64_t bytes, std::uint64_t seed) {
  for (std::int64_t i = 0; i < bytes; ++i) data[i] = pattern_byte(i, seed);
}

std::int64_t wrong_bytes(const char* data, std::int64_t bytes, std::uint64_t seed) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < bytes; ++i) wrong += data[i] != pattern_byte(i, seed);
  return wrong;
}

}  // namespace hakaru::probes::messages
