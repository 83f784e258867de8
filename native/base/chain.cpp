#include "native/base/chain.hpp"

#include <algorithm>

#include "native/base/clock.hpp"

namespace hakaru::base {

void Chain::run(std::int64_t steps) {
  std::uint64_t state = state_;
  for (std::int64_t i = 0; i < steps; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
  }
  state_ = state | 1U;
}

Chain::Spell Chain::spell(double about_s) {
  constexpr std::int64_t trial_steps = 20'000;
  constexpr int trials = 3;
  if (about_s <= 0.0) return {};
  for (int i = 0; i < trials; ++i) {
    const double start = now_s();
    run(trial_steps);
    const double one_s = (now_s() - start) / trial_steps;
    step_s_ = step_s_ > 0.0 ? std::min(step_s_, one_s) : one_s;
  }
  const auto steps = static_cast<std::int64_t>(about_s / step_s_) + 1;
  return {steps, static_cast<double>(steps) * step_s_};
}

}  // namespace hakaru::base
