// The unit of work inside every construct: a short delay that counts itself, so that a timed run
// proves that its work was done.
#pragma once

#include <cstdint>
#include <vector>

namespace hakaru::probes::threads {

// Counts of one thread, alone on its cache lines (two of 64 B, which x86-64 fetches in pairs).
struct alignas(128) Worker {
  std::int64_t units = 0;
};

// `length` dependent register operations that the compiler cannot remove, then one count. The same
// code in test and reference.
inline void work_unit(Worker& worker, std::int64_t length) {
  for (std::int64_t i = 0; i < length; ++i) asm volatile("" : "+r"(i));
  ++worker.units;
  asm volatile("" ::: "memory");
}

// Length for which a unit takes about `seconds`, found by doubling and one division.
std::int64_t length_of_delay(double seconds);

// Seconds of `units` units on the calling thread.
double time_units(Worker& worker, std::int64_t units, std::int64_t length);

std::int64_t total_units(const std::vector<Worker>& workers);

}  // namespace hakaru::probes::threads
