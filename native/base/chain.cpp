#include "native/base/chain.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/clock.hpp"

namespace hakaru::base {

void Chain::run(std::int64_t steps) {
  if (steps <= 0) return;
  all_done();
  std::uint64_t state = state_;
  for (std::int64_t i = 0; i < steps; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
  }
  state_ = state | 1U;
  all_done();
}

std::int64_t Chain::steps(double about_s) {
  constexpr std::int64_t many = 20'000;
  constexpr int trials = 6;
  if (about_s <= 0.0) return 0;
  if (step_s_ <= 0.0) step_s_ = run_s(many, trials) / many;
  return static_cast<std::int64_t>(about_s / step_s_) + 2;
}

// Leaving a loop of some tens of steps costs what a wrong guess of a branch does (5 ns of 110),
// which neither one step nor many show.
double Chain::run_s(std::int64_t steps, int runs) {
  if (steps <= 0) return 0.0;
  const int half = std::max(runs / 2, 1);
  double shortest_s = INFINITY;
  for (int i = 0; i < 2; ++i) {
    const double start = now_s();
    for (int j = 0; j < half; ++j) run(steps);
    shortest_s = std::min(shortest_s, now_s() - start);
  }
  return shortest_s / half;
}

}  // namespace hakaru::base
