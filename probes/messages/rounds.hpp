// Interleaved sampling under a time budget: every round takes one sample of every point.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::messages {

// One quantity to be sampled. `measure` is collective over the communicator of the rounds.
struct Point {
  std::int64_t bytes;
  int most_iterations;  // of one sample
  // Seconds of one iteration on rank 0, the mean over `iterations`; anything elsewhere.
  std::function<double(int iterations)> measure;
  // Called on rank 0 after each sample.
  std::function<void(int repetition, double seconds)> keep;
  // Called on every rank with the estimate of rank 0, before any sample is kept.
  std::function<void(double seconds)> estimated = [](double) {};
};

struct Budget {
  double seconds;  // for all points and rounds together
  int rounds;      // wanted
  int least_rounds = 5;
};

struct Plan {
  std::size_t points = 0;       // kept, counted from the first
  std::vector<int> iterations;  // of one sample of each kept point
  int rounds = 0;
};

// What sampling a point costs: seconds of one iteration, and of the warm-up and synchronisation
// around each sample.
struct Cost {
  double iteration_s, around_s;
};

// Chooses iterations and rounds from the estimated cost of each point. Points
// from the first one on that would leave no time for the least number of rounds are dropped; at
// least one point and one round stay.
Plan plan_rounds(const std::vector<Cost>& costs, const std::vector<int>& most_iterations,
                 const Budget& budget);

// Estimates, plans and samples. Points come in ascending order of bytes. Stops early when 1.2 times
// the budget is used up. Returns how many points, from the first on, were fast enough to be
// sampled. Collective.
std::size_t measure_in_rounds(const parallel::Communicator& communicator,
                              const std::vector<Point>& points, const Budget& budget,
                              const std::function<void(double)>& progress);

}  // namespace hakaru::probes::messages
