// How long a compute operation takes: measured seconds times a factor, or a roofline of its work
// counts; the fork of a team; and noise on top.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/engine/noise.hpp"
#include "native/replay/engine/options.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

class ComputePrice {
 public:
  // Throws UserError(usage) when a phase factor names no phase, or some work has neither seconds
  // nor a roofline.
  ComputePrice(const schedule::Schedule& schedule, const Options& options);

  double seconds(const schedule::Operation& operation, std::int32_t rank, double begin_s) {
    double price = (operation.payload == schedule::no_payload
                        ? operation.seconds
                        : work_s_[static_cast<std::size_t>(operation.payload)]) *
                   factor(operation.phase);
    if (price > 0) price += fork_s_;
    return noisy_ ? noise_.lengthened(price, rank, begin_s) : price;
  }

 private:
  double factor(std::uint16_t phase) const {
    return phase < phase_factor_.size() ? phase_factor_[phase] : factor_;
  }

  double factor_;
  double fork_s_;
  std::vector<double> phase_factor_;
  std::vector<double> work_s_;
  bool noisy_;
  Interruptions noise_;
};

}  // namespace hakaru::replay
