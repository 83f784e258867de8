#include "native/base/chain.hpp"

#include <algorithm>

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

double Chain::shortest(double before_s, int runs, std::int64_t steps) {
  const double start = now_s();
  for (int i = 0; i < runs; ++i) run(steps);
  const double run_s = (now_s() - start) / runs;
  return before_s > 0.0 ? std::min(before_s, run_s) : run_s;
}

// Leaving a loop of some tens of steps costs what a wrong guess of a branch does (5 ns of 110),
// which neither one step nor many show.
Chain::Spell Chain::spell(double about_s) {
  constexpr std::int64_t many = 20'000;
  constexpr int trials = 3, runs = 1000;
  constexpr double long_s = 1e-5;
  if (about_s <= 0.0) return {};
  for (int i = 0; i < trials; ++i) {
    one_s_ = shortest(one_s_, runs, 1);
    many_s_ = shortest(many_s_, 1, many);
  }
  const double step_s = (many_s_ - one_s_) / (many - 1);
  const auto more = static_cast<std::int64_t>(about_s / step_s) + 1;
  if (about_s > long_s) return {1 + more, one_s_ + static_cast<double>(more) * step_s};
  double all_s = 0.0;
  for (int i = 0; i < trials; ++i) all_s = shortest(all_s, runs, 1 + more);
  return {1 + more, all_s};
}

}  // namespace hakaru::base
