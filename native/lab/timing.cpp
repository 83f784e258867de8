#include "native/lab/timing.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::lab {

void WakeMargin::observe(Nanoseconds late_ns) {
  const bool later = static_cast<double>(late_ns) > margin_ns_;
  margin_ns_ += later ? covered * step_ns : -(1.0 - covered) * step_ns;
  margin_ns_ = std::clamp(margin_ns_, std::min(lowest_ns, highest_ns_), highest_ns_);
}

void Lateness::add(Nanoseconds late_ns) {
  const Nanoseconds late = std::max<Nanoseconds>(late_ns, 0);
  ++histogram_[std::min<std::size_t>(static_cast<std::size_t>(late / 1000), classes - 1)];
  ++count_;
  maximum_ns_ = std::max(maximum_ns_, late);
}

Nanoseconds Lateness::quantile_ns(double fraction) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index + 1 < classes; ++index) {
    seen += histogram_[index];
    if (seen >= wanted) return count_ == 0 ? 0 : static_cast<Nanoseconds>(index + 1) * 1000;
  }
  return maximum_ns_;
}

}  // namespace hakaru::lab
