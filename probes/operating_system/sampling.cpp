#include "probes/operating_system/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/clock.hpp"

namespace hakaru::probes::operating_system {
namespace {

double seconds(const Operations& operations, std::int64_t count) {
  const double start = base::now_s();
  operations(count);
  return base::now_s() - start;
}

}  // namespace

std::int64_t operations_of(const Operations& operations, double least_s) {
  std::int64_t count = 1;
  for (;;) {
    double found_s = seconds(operations, count);
    // Whoever was interrupted once has not found how long the operations take.
    for (int again = 0; again < 2 && found_s >= 0.9 * least_s; ++again)
      found_s = std::min(found_s, seconds(operations, count));
    if (found_s >= 0.9 * least_s) return count;
    const double factor = std::clamp(1.1 * least_s / std::max(found_s, 1e-9), 1.5, 100.0);
    count = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * factor));
  }
}

std::vector<double> seconds_of_one(const Sampling& sampling, const Operations& operations) {
  const std::int64_t count = operations_of(operations, sampling.least_s);
  std::vector<double> found;
  for (int i = 0; i < sampling.samples; ++i)
    found.push_back(seconds(operations, count) / static_cast<double>(count));
  return found;
}

std::vector<double> seconds_without(const Sampling& sampling, const Operations& whole,
                                    const Operations& part) {
  const std::int64_t wholes = operations_of(whole, sampling.least_s);
  const std::int64_t parts = operations_of(part, sampling.least_s);
  std::vector<double> found;
  for (int i = 0; i < sampling.samples; ++i) {
    const double part_s = seconds(part, parts) / static_cast<double>(parts);
    const double whole_s = seconds(whole, wholes) / static_cast<double>(wholes);
    found.push_back(std::max(0.0, whole_s - part_s));
  }
  return found;
}

}  // namespace hakaru::probes::operating_system
