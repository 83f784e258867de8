// Repeats an operation of a team until a sample lasts long enough.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "native/base/clock.hpp"
#include "native/base/cores.hpp"

namespace hakaru::probes::sharing {

struct Sampling {
  int samples = 7;
  double least_s = 2e-3;
};

// Runs body(thread, count) on every thread of the team at once, behind a barrier, and gives the
// seconds of each thread.
template <typename Body>
std::vector<double> together(const base::PinnedTeam& team, std::int64_t count, const Body& body) {
  std::vector<double> seconds(static_cast<std::size_t>(team.size()));
#pragma omp parallel num_threads(team.size())
  {
    const int thread = omp_get_thread_num();
#pragma omp barrier
    const double start = base::now_s();
    body(thread, count);
    seconds[static_cast<std::size_t>(thread)] = base::now_s() - start;
  }
  return seconds;
}

template <typename Body>
double slowest_s(const base::PinnedTeam& team, std::int64_t count, const Body& body) {
  const std::vector<double> seconds = together(team, count, body);
  return *std::max_element(seconds.begin(), seconds.end());
}

// A count that takes the slowest thread about `least_s`.
template <typename Body>
std::int64_t count_for(const base::PinnedTeam& team, double least_s, const Body& body) {
  for (std::int64_t count = 1;;) {
    double found_s = slowest_s(team, count, body);
    // Whoever was interrupted once has not found how long the operations take.
    for (int again = 0; again < 2 && found_s >= 0.9 * least_s; ++again)
      found_s = std::min(found_s, slowest_s(team, count, body));
    if (found_s >= 0.9 * least_s) return count;
    const double factor = std::clamp(1.1 * least_s / std::max(found_s, 1e-9), 1.5, 100.0);
    count = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * factor));
  }
}

// Seconds of one of `count` operations that every thread does, by the slowest thread; a value a
// sample.
template <typename Body>
std::vector<double> seconds_of_one(const base::PinnedTeam& team, const Sampling& sampling,
                                   const Body& body) {
  const std::int64_t count = count_for(team, sampling.least_s, body);
  std::vector<double> found;
  for (int i = 0; i < sampling.samples; ++i)
    found.push_back(slowest_s(team, count, body) / static_cast<double>(count));
  return found;
}

}  // namespace hakaru::probes::sharing
