// OpenMP constructs by the definitions of the EPCC microbenchmarks: a construct with one unit of
// work for each thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/threads/work_unit.hpp"

namespace hakaru::probes::threads {

enum class Construct { parallel, for_loop, parallel_for, barrier, single, critical, reduction };
inline constexpr std::array constructs{
    Construct::parallel, Construct::for_loop, Construct::parallel_for, Construct::barrier,
    Construct::single,   Construct::critical, Construct::reduction};

std::string name_of(Construct construct);

// One execution of a construct, `inner` times over.
struct Outcome {
  double seconds = 0.0;
  std::int64_t units = 0;     // units of work that were done, all threads
  std::int64_t expected = 0;  // units that the construct promises
  double reduced = 0.0;       // reduction: the sum of all inner repetitions; others: 0
  double expected_reduced = 0.0;
  bool right() const { return units == expected && reduced == expected_reduced; }
};

// Seconds from before the first inner repetition to after the last. With each construct a thread
// does one unit of `length`, but for single, where one thread does, and critical, where the threads
// share `inner` units, one at a time.
Outcome run_construct(Construct construct, int threads, std::int64_t inner, std::int64_t length);

// Number of inner repetitions, a power of two, for which the construct lasts at least `seconds`; a
// multiple of the threads for critical.
std::int64_t calibrate(Construct construct, int threads, std::int64_t length, double seconds);

// Counts what goes wrong when constructs are used for what they promise; all are zero.
struct Violations {
  std::int64_t loop = 0;       // iterations of a work-shared loop that did not run exactly once
  std::int64_t barrier = 0;    // threads seen in an earlier phase after a barrier
  std::int64_t exclusion = 0;  // updates lost in a critical region
  std::int64_t single = 0;     // single regions that did not run exactly once
  std::int64_t reduction = 0;  // difference of a sum of integers from n (n + 1) / 2
};
// `damage` spoils one counter of each.
Violations find_violations(int threads, std::int64_t rounds, bool damage);

}  // namespace hakaru::probes::threads
