// What lies between two ranks.
#pragma once

#include <algorithm>

#include "native/replay/engine/given.hpp"

namespace hakaru::replay {

class Paths {
 public:
  explicit Paths(const Network& network)
      : network_(network), uniform_(network.uniform()), self_(network.self()) {}

  HAKARU_HOT Path between(std::int32_t from, std::int32_t to) const {
    if (from == to) return {&self_, self_.latency_s};
    if (uniform_ != nullptr) return {uniform_, uniform_->latency_s};
    return network_.path(from, to);
  }
  // Between two ranks that differ; of who needs no latency.
  HAKARU_HOT const Level& level(std::int32_t from, std::int32_t to) const {
    return uniform_ != nullptr ? *uniform_ : network_.level(from, to);
  }
  // What a message to oneself costs.
  const Level& self() const { return self_; }
  // The level of every two ranks that differ; nullptr: there are several.
  const Level* uniform() const { return uniform_; }

 private:
  const Network& network_;
  const Level* uniform_;
  const Level& self_;
};

// When a message whose first byte left at `start_s` and whose last at `drained_s` has arrived.
// `costs`: of `bytes` on the way; `own`: to oneself.
HAKARU_HOT double arrival(double start_s, double drained_s, const Path& way, const SizeClass& costs,
                          bool own, std::uint64_t bytes) {
  if (own) return drained_s + way.latency_s;
  return std::max(drained_s + way.latency_s + costs.later(bytes), start_s);
}

}  // namespace hakaru::replay
