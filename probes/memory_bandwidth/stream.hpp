// The kernels on arrays far larger than the caches, by STREAM's rules: McCalpin, "Memory bandwidth
// and machine balance in current high performance computers", IEEE TCCA Newsletter, December 1995.
#pragma once

#include <cstddef>
#include <vector>

#include "native/base/aligned.hpp"
#include "native/base/cores.hpp"
#include "probes/memory_bandwidth/kernels.hpp"

namespace hakaru::probes::memory_bandwidth {

struct StreamArrays {
  StreamArrays(std::size_t elements, base::Pages pages)
      : a(elements, pages), b(elements, pages), c(elements, pages) {}
  std::size_t size() const { return a.size(); }
  base::AlignedArray<double> a, b, c;
};

// Part of the elements that a thread works on, and touches first.
struct Part {
  std::size_t begin, count;
};
Part part_of(int thread, int threads, std::size_t elements);

struct StreamSample {
  Kernel kernel;
  int run;  // from 1; the first is to be discarded
  double seconds;
};

struct StreamErrors {
  double average =
      0.0;  // largest, over the three arrays, of the mean of |x - expected| / |expected|
  double largest = 0.0;   // over all elements
  double read = 0.0;      // |sum - expected| / |expected|, largest over the runs
  double read_bound = 0;  // of the rounding error of the sum, the same measure
};

// Values of all elements of a, b, c after `runs` runs of all kernels, by the recurrence.
struct Expected {
  double a, b, c;
};
Expected expected_after(int runs);

struct StreamResult {
  std::vector<StreamSample> samples;
  std::vector<double> sums;  // of `read`, one a run
};

// Initial values of all elements, written by the thread that will use them.
void first_touch(base::PinnedTeam& team, StreamArrays& arrays);

// `runs` runs of all kernels, one after another.
StreamResult run_stream(base::PinnedTeam& team, StreamArrays& arrays, int runs);

// Compares with the recurrence after first_touch and these runs.
StreamErrors errors_of(const StreamArrays& arrays, const StreamResult& result, int runs);

}  // namespace hakaru::probes::memory_bandwidth
