// Samples of many points in turns.
#pragma once

#include <functional>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::collectives {

struct Point {
  std::function<void()> once;                                // collective
  std::function<void(int repetition, double seconds)> keep;  // on rank 0: mean of a sample
};

// After a warm-up and an estimate of every point, `samples` rounds with one sample of each, which
// lasts about sample_s; the order turns round from one round to the next. A sample is the time of
// its operations on the slowest rank over their number. Collective.
void sample_in_turns(const parallel::Communicator& group, const std::vector<Point>& points,
                     int samples, double sample_s, const std::function<void(double)>& progress);

}  // namespace hakaru::probes::collectives
