// Fixed work: how long the same work takes. Fixed time: how much work fits into each window.
#pragma once

#include <cstdint>
#include <vector>

namespace hakaru::probes::noise {

// A chain of dependent multiplications and additions; returns where the chain has come to, so that
// the work can be proved: the result of `units` units does not depend on how they were divided.
std::uint64_t work(std::uint64_t value, std::int64_t units);
// The same result in one step for each bit of `units`.
std::uint64_t work_result(std::uint64_t value, std::int64_t units);

// Units that take about `seconds` on the calling thread, undisturbed.
std::int64_t units_of(double seconds);

struct FixedWork {
  std::vector<double> start_s, seconds;  // of each quantum, from the beginning
  std::uint64_t value = 0;               // where the chain has come to from 1
};
FixedWork fixed_work(std::int64_t quanta, std::int64_t units);

struct FixedTime {
  std::vector<std::int64_t> chunks;  // that ended in each window
  std::int64_t beyond = 0;           // that ended after the last window
  std::uint64_t value = 0;
};
// Windows of `window_s` at fixed distances from the beginning, filled with chunks of `units` units.
FixedTime fixed_time(std::int64_t windows, double window_s, std::int64_t units);

}  // namespace hakaru::probes::noise
