// Monotonic and calendar time.
#pragma once

#include <chrono>
#include <string>

namespace hakaru::base {

// Seconds of the monotonic clock; only differences mean anything.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Calendar time in UTC as ISO 8601 with milliseconds: 2026-11-21T11:15:00.123Z.
std::string utc_timestamp();

// Smallest positive difference that two successive readings of now_s() show, in seconds.
double clock_resolution_s();

}  // namespace hakaru::base
