// How long a compute operation takes: measured seconds times a factor, or a roofline of its work
// counts; the fork of a team; and noise on top.
#pragma once

#include <cstdint>
#include <vector>

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
    return noise_.kind == Noise::Kind::none ? price : with_noise(price, rank, begin_s);
  }

 private:
  double factor(std::uint16_t phase) const {
    return phase < phase_factor_.size() ? phase_factor_[phase] : factor_;
  }
  double with_noise(double price, std::int32_t rank, double begin_s);

  double factor_;
  double fork_s_;
  std::vector<double> phase_factor_;
  std::vector<double> work_s_;
  const Noise& noise_;
  std::vector<std::uint32_t> drawn_;  // per rank, how many numbers it has drawn
};

}  // namespace hakaru::replay
