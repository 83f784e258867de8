#pragma once

#include "native/replay/engine/recorder.hpp"
#include "native/replay/engine/replay.hpp"

namespace hakaru::replay {

Result run_until_blocked(const schedule::Schedule& schedule, const Network& network,
                         const Costs& costs, const Options& options, Recorder* recorder);
Result time_ordered(const schedule::Schedule& schedule, const Network& network, const Costs& costs,
                    const Options& options, Recorder* recorder);

}  // namespace hakaru::replay
