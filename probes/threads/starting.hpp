// What starting and ending a team costs, and how evenly equal work is done.
#pragma once

#include <cstdint>
#include <vector>

namespace hakaru::probes::threads {

// One parallel region seen by its first thread.
struct Start {
  double fork_s;  // from before the region until the last thread has begun
  double join_s;  // from then until the first thread is after the region
  int begun;      // threads that did
};

// A region after `idle_s` of serial work by the first thread.
Start time_start(int threads, double idle_s);

// A region whose other threads do not exist yet: the OpenMP library is told to give them back
// first. begun is 0 when it cannot.
Start time_creation(int threads);

// Seconds that each thread needs for `units` units of work of `length`, all starting together.
std::vector<double> time_equal_work(int threads, std::int64_t units, std::int64_t length);

}  // namespace hakaru::probes::threads
