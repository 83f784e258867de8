// Message contents that the receiver can check without having seen the sender.
#pragma once

#include <cstdint>

namespace hakaru::probes::messages {

// Fills `bytes` bytes with a sequence that depends on the position and on `seed` (who sends what to
// whom).
void fill_pattern(char* data, std::int64_t bytes, std::uint64_t seed);

// Number of bytes that differ from the pattern of `seed`.
std::int64_t wrong_bytes(const char* data, std::int64_t bytes, std::uint64_t seed);

}  // namespace hakaru::probes::messages
