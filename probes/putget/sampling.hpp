// Interleaved samples of many quantities.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Accesses to data that were just computed, in a row, each in its own place: as many as fit.
struct Rows {
  int places, count;  // accesses of a row, rows of a sample
};
// `room_bytes`: what there is for a row; at most so many rows.
Rows rows_of(std::int64_t bytes, std::int64_t room_bytes, int most);
// Writes numbers that follow from each other, so that their stores come one by one, as those of
// programs that compute; returns one to go on from.
double compute_numbers(double* numbers, std::size_t count, double from);

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
