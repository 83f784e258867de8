#include "native/replay/engine/compute_price.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "native/base/require.hpp"

namespace hakaru::replay {

using base::require;

namespace {

double work_seconds(const schedule::Work& work, const std::optional<Roofline>& roofline) {
  if (!roofline) {
    require(work.seconds >= 0, "the schedule has work without a duration",
            fmt::format("{} flops and {} bytes cannot be priced without the machine's rates",
                        work.flops, work.bytes),
            "give \"roofline\": {\"flop_rate\": ..., \"memory_bandwidth\": ...} in the options");
    return work.seconds;
  }
  const double bytes = roofline->write_allocate ? work.bytes_write_allocate : work.bytes;
  return std::max(work.flops / roofline->flops_per_s, bytes / roofline->bytes_per_s);
}

}  // namespace

ComputePrice::ComputePrice(const schedule::Schedule& schedule, const Options& options)
    : factor_(options.compute_factor),
      fork_s_(options.free ? 0.0 : options.fork_s),
      noisy_(options.noise.kind != Noise::Kind::none),
      noise_(options.noise, noisy_ ? schedule.ranks : 0, Interruptions::For::computing) {
  phase_factor_.assign(schedule.phases.size(), factor_);
  for (const auto& [name, factor] : options.phase_factor) {
    const auto phase = std::find_if(schedule.phases.begin(), schedule.phases.end(),
                                    [&name](const schedule::Phase& p) { return p.name == name; });
    require(phase != schedule.phases.end(), fmt::format("there is no phase '{}'", name),
            "phase_factor names it");
    phase_factor_[static_cast<std::size_t>(phase - schedule.phases.begin())] *= factor;
  }
  for (const schedule::Work& work : schedule.works)
    work_s_.push_back(options.free ? 0.0 : work_seconds(work, options.roofline));
}

}  // namespace hakaru::replay
