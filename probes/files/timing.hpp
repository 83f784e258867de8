// How long ranks take for two steps behind a barrier.
#pragma once

#include <string>

#include "native/base/clock.hpp"
#include "native/parallel/communicator.hpp"
#include "probes/files/place.hpp"

namespace hakaru::probes::files {

// Seconds of the slowest rank. `cached_s` of what the publication calls cache time (the calls that
// write), `synced_s` with the flush to the device.
struct WriteTimes {
  double cached_s = 0.0, synced_s = 0.0;
};

// A step tells its trouble; "" when there is none. Collective.
template <typename First, typename Second>
WriteTimes timed(const parallel::Communicator& ranks, const First& first, const Second& second) {
  ranks.barrier();
  const double start = base::now_s();
  ranks.barrier();  // nobody begins before all clocks run: a rank without a core reads its late
  const std::string written = first();
  const double cached_s = base::now_s() - start;
  const std::string flushed = written.empty() ? second() : "";
  const double synced_s = base::now_s() - start;
  agree(ranks, written.empty() ? flushed : written);
  return {ranks.maximum(cached_s), ranks.maximum(synced_s)};
}

}  // namespace hakaru::probes::files
