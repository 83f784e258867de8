// Messages match in the order in which they were posted. Where two threads of a rank post with one
// key (peer, tag, communicator), a replay, whose threads have clocks of their own, would lose that
// order: these messages get tags of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "native/schedule/schedule.hpp"

namespace hakaru::trace {

// A message that a rank posted: its stream in the schedule, and its place there.
struct Posting {
  std::uint32_t stream = 0, index = 0;
};

// `posted[rank]`: a rank's messages in the order in which they were posted; empty when it is the
// order of its stream.
void separate_shared_keys(schedule::Schedule& schedule,
                          const std::vector<std::vector<Posting>>& posted);

}  // namespace hakaru::trace
