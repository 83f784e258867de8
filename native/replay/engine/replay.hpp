// Replays a schedule on a network.
#pragma once

#include "native/replay/engine/options.hpp"
#include "native/replay/engine/result.hpp"
#include "native/replay/networks/network.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// The schedule has passed schedule::validate. Throws UserError(usage) when it cannot progress
// (naming the blocked ranks, their calls and what each waits for), when something sent was never
// received, when ranks of a communicator call different collectives, or when a price is missing.
// Observers are called in the order of each rank's (and each thread's) time; ranks are interleaved
// in no particular order.
Result replay(const schedule::Schedule& schedule, const Network& network, const Costs& costs,
              const Options& options, const Observers& observers = {});

// Only whether it can progress and is consistent; everything takes no time. Messages above
// `eager_limit_bytes` wait for their receive: with 0, a program that relies on buffering in
// standard sends is an error. Returns how many messages there are, those inside collectives
// included.
std::uint64_t check(const schedule::Schedule& schedule,
                    std::uint64_t eager_limit_bytes = UINT64_MAX);

}  // namespace hakaru::replay
