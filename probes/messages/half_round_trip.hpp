#pragma once

#include "native/base/clock.hpp"

namespace hakaru::probes::messages {

// Seconds of one message each way, mean of `iterations`, after two that are not timed.
template <typename Exchange>
double half_round_trip(int iterations, const Exchange& exchange) {
  constexpr int warmup = 2;
  double start = 0.0;
  for (int i = -warmup; i < iterations; ++i) {
    if (i == 0) start = base::now_s();
    exchange();
  }
  return 0.5 * (base::now_s() - start) / iterations;
}

}  // namespace hakaru::probes::messages
