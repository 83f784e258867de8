// The unit of work inside every construct: a short delay that counts itself, so that a timed run
// proves that its work was done.
#pragma once

#include <cstdint>
#include <vector>

namespace hakaru::probes::threads {

// State of one thread, alone on its cache lines (two of 64 B, which x86-64 fetches in pairs).
struct alignas(128) Worker {
  std::int64_t units = 0;
  std::uint64_t value = 1;
};

// `length` dependent multiplications and additions, then one count. The same code in test and
// reference. The chain is long enough (3 to 5 cycles a step) that the loop around it costs nothing:
// an empty loop takes one or two cycles a step as branches are predicted.
inline void work_unit(Worker& worker, std::int64_t length) {
  std::uint64_t value = worker.value;
  for (std::int64_t i = 0; i < length; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));
  }
  worker.value = value;
  ++worker.units;
  asm volatile("" ::: "memory");
}

// Length for which a unit takes about `seconds`, found by doubling and one division.
std::int64_t length_of_delay(double seconds);

// Seconds of `units` units on the calling thread.
double time_units(Worker& worker, std::int64_t units, std::int64_t length);

std::int64_t total_units(const std::vector<Worker>& workers);

}  // namespace hakaru::probes::threads
