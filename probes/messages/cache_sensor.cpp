#include "probes/messages/cache_sensor.hpp"

#include <algorithm>

#include "native/base/clock.hpp"
#include "native/trace/caches.h"

namespace hakaru::probes::messages {
namespace {

std::uint64_t now_ns() { return static_cast<std::uint64_t>(1e9 * base::now_s()); }

}  // namespace

CacheSensor::CacheSensor() : memory_(HAKARU_SENSED_BYTES, base::Pages::base) {
  std::fill(memory_.begin(), memory_.end(), 1);
  warm_s_ = 1e-9 * static_cast<double>(hakaru_warm_reading(now_ns, memory_.data()));
}

double CacheSensor::cold_s() {
  const double begin_s = base::now_s();
  hakaru_read_lines(memory_.data());
  return std::max(base::now_s() - begin_s - warm_s_, 0.0);
}

}  // namespace hakaru::probes::messages
