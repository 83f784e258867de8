// How long a write of one core takes to be seen by another.
//
// Virtual cores are moved. Two within one last-level cache see each other's writes soon and share
// the way from it to memory; two of different caches do not: 40 ns and 64 GB/s, 190 ns and 103 GB/s
// (AMD EPYC, Zen 5). So it tells in which of such states the machine was.
#pragma once

#include <algorithm>
#include <limits>

#include "native/base/clock.hpp"

namespace hakaru::base {

inline constexpr int handover_trains = 5, handover_trips = 50;

// One way of `trip`, which goes there and back, in s: of the shortest train of trips. No train is
// begun after `longest_s`.
template <typename Trip>
double one_way_s(Trip&& trip, double longest_s = std::numeric_limits<double>::infinity()) {
  double shortest_s = std::numeric_limits<double>::infinity();
  const double begun_s = now_s();
  for (int train = 0; train < handover_trains && now_s() - begun_s < longest_s; ++train) {
    const double start_s = now_s();
    for (int i = 0; i < handover_trips; ++i) trip();
    shortest_s = std::min(shortest_s, now_s() - start_s);
  }
  return shortest_s / (2.0 * handover_trips);
}

// One way between the first and the last thread of an OpenMP team of this size, which have
// processors of their own: in s, of the shortest train of round trips. 0 for one thread.
double handover_of_threads_s(int threads);

}  // namespace hakaru::base
