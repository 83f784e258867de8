#include "native/base/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace hakaru::base {

std::string utc_timestamp() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  std::tm calendar{};
  gmtime_r(&time.tv_sec, &calendar);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", calendar.tm_year + 1900,
                     calendar.tm_mon + 1, calendar.tm_mday, calendar.tm_hour, calendar.tm_min,
                     calendar.tm_sec, time.tv_nsec / 1'000'000);
}

double clock_resolution_s() {
  double smallest = 1.0;
  for (int trial = 0; trial < 1000; ++trial) {
    const double first = now_s();
    double second = first;
    while (second == first) second = now_s();
    smallest = std::min(smallest, second - first);
  }
  return smallest;
}

}  // namespace hakaru::base
