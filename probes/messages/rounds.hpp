// Interleaved sampling under a time budget: every round takes one sample of every point.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "native/base/clock.hpp"
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

// What `measure` finds is kept: one of it a sample, which lasts as long as measuring it.
template <typename Measure, typename Keep>
Point whole_point(std::int64_t bytes, const Measure& measure, const Keep& keep) {
  const auto found = std::make_shared<decltype(measure())>();
  Point point;
  point.bytes = bytes;
  point.most_iterations = 1;
  point.measure = [measure, found](int) {
    const double start = base::now_s();
    *found = measure();
    return base::now_s() - start;
  };
  point.keep = [keep, found](int repetition, double) { keep(repetition, *found); };
  return point;
}

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

// The rounds of some points, which rounds of others may come between. Everything is collective over
// the communicator, which must outlive it.
class Rounds {
 public:
  // Estimates and plans. Points come in ascending order of bytes; the last are left out where they
  // are too slow.
  Rounds(const parallel::Communicator& communicator, std::vector<Point> points,
         const Budget& budget);

  // Takes the rounds that are due after `turn` of `turns`, counted from 0: all of them after the
  // last. None when 1.2 times the budget is used up.
  void take(int turn, int turns);

  // Of the longest point that is sampled.
  std::int64_t longest_bytes() const { return points_[plan_.points - 1].bytes; }

 private:
  // False where time is up.
  bool take_one();

  const parallel::Communicator& communicator_;
  std::vector<Point> points_;
  Plan plan_;
  double left_s_;
  int taken_ = 0;
};

}  // namespace hakaru::probes::messages
