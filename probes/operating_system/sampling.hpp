// How often an operation is repeated for one sample, and what one of them took.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace hakaru::probes::operating_system {

struct Sampling {
  int samples = 11;       // LMbench's TRIES
  double least_s = 5e-3;  // a sample lasts at least about this long
};

// Does an operation so many times, one after the other.
using Operations = std::function<void(std::int64_t count)>;

// How many operations last `least_s`. At least one; they have been done that often, which warms.
std::int64_t operations_of(const Operations& operations, double least_s);

// Seconds of one operation, a value a sample.
std::vector<double> seconds_of_one(const Sampling& sampling, const Operations& operations);

// Seconds of one operation less what its `part` takes by itself, measured in turns, sample by
// sample; not below zero.
std::vector<double> seconds_without(const Sampling& sampling, const Operations& whole,
                                    const Operations& part);

// Keeps a value that nothing else uses from being computed away.
template <typename Value>
inline void keep(const Value& value) {
  asm volatile("" : : "g"(value) : "memory");
}

}  // namespace hakaru::probes::operating_system
