// Interleaved samples of many quantities.
#pragma once

#include <functional>
#include <vector>

#include "native/base/clock.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::probes::putget {

// Seconds of one of so many runs in a row.
template <class Run>
double mean_s(int times, Run run) {
  const double begin = base::now_s();
  for (int i = 0; i < times; ++i) run();
  return (base::now_s() - begin) / times;
}

// A quantity: `measure` is collective, and gives the seconds of one iteration on rank 0; `keep` is
// called there.
struct Point {
  std::function<double(int iterations)> measure;
  std::function<void(int repetition, double seconds)> keep;
};

// One warm-up and one estimate of every point, then `samples` rounds with one sample of each, which
// lasts about sample_s. The order turns round from one round to the next. Collective.
void sample_in_turns(const parallel::Communicator& communicator, const std::vector<Point>& points,
                     int samples, double sample_s, const std::function<void(double)>& progress);

}  // namespace hakaru::probes::putget
