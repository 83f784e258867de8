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

// A number out of all of them, as of programs that use what they got.
double use_numbers(const double* numbers, std::size_t count);
// Seconds of `row` on rank 0 when both ranks have prepared it, without its completion; 0 on rank 1.
// Collective.
template <class Prepare, class Row, class Complete>
double row_s(const parallel::Communicator& both, Prepare prepare, Row row, Complete complete) {
  double seconds = 0.0;
  prepare();
  both.barrier();
  if (both.rank() == 0) {
    const double begin = base::now_s();
    row();
    seconds = base::now_s() - begin;
    complete();
  }
  both.barrier();
  return seconds;
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
