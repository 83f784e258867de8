// What a replay is given, as all its parts see it.
#pragma once

#include "native/replay/engine/options.hpp"
#include "native/replay/engine/recorder.hpp"
#include "native/replay/networks/network.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// What every message passes: a call costs more than what it does.
#define HAKARU_HOT [[gnu::always_inline]] inline

inline bool is_disturbed(const Network& network, const Options& options) {
  return options.progress == Progress::in_calls || network.disturbed();
}

template <class Timing>
class Given {
 public:
  Given(const schedule::Schedule& schedule_, const Network& network_, const Costs& costs_,
        const Options& options_, Recorder* recorder)
      : schedule(schedule_),
        network(network_),
        costs(costs_),
        options(options_),
        recorder_(recorder),
        disturbed_(is_disturbed(network_, options_)) {
    for (const schedule::Stream& stream : schedule.streams)
      for (const schedule::Operation& operation : stream) kinds_ |= bit(operation.kind);
  }

  const schedule::Schedule& schedule;
  const Network& network;
  const Costs& costs;
  const Options& options;

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(schedule.ranks); }
  // Whether the schedule has operations of this kind.
  bool uses(schedule::Kind kind) const { return (kinds_ & bit(kind)) != 0; }
  // A plain run has none of these, and no test of them.
  Recorder* recorder() const { return Timing::plain ? nullptr : recorder_; }
  bool disturbed() const { return !Timing::plain && disturbed_; }
  bool serialises() const {
    return !Timing::plain && !Timing::ordered && options.receive_serialised;
  }
  bool noisy_calls() const { return !Timing::plain && options.noise.calls; }

 private:
  static std::uint64_t bit(schedule::Kind kind) {
    static_assert(schedule::kinds <= 64);
    return std::uint64_t{1} << static_cast<unsigned>(kind);
  }

  std::uint64_t kinds_ = 0;
  Recorder* recorder_;
  bool disturbed_;
};

}  // namespace hakaru::replay
