// Blocking sends made non-blocking: what a program would do that starts its sends and goes on.
//
// Which waits a program needs is not all in a schedule. What it shows: the order of what a rank
// does, and to whom each message goes. What it does not show is memory. So it is assumed that
// receives and computing leave the memory of a message alone until its wait, and that the next
// message to the same rank with the same tag on the same communicator comes from the same memory.
// Neither receives nor collectives wait for a send of their own rank: MPI does not ask for it.
#pragma once

#include <cstdint>

#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

enum class Waits : std::uint8_t {
  late,      // before the next message from the same memory, else at the end of the program
  exchange,  // also before the next computing, which may write that memory
};

// Computing of less than this share of a rank's mean computing for each of its sends is what lies
// between two calls of one exchange (Waits::exchange).
inline constexpr double pause_share = 0.01;

enum class Started : std::uint8_t {
  nonblocking,
  persistent,  // of requests that were made before
};

struct NonblockingSends {
  Schedule schedule;
  std::uint64_t sends = 0;  // that were blocking, over all ranks, loops unfolded
};

// Sends of forked threads, and buffered ones (which hold nobody), stay as they are. Synchronous and
// ready sends keep their mode. Throws base::UserError (usage) when a rank sends to more partners
// and tags than it can have requests.
NonblockingSends nonblocking_sends(const Schedule& schedule, Waits waits,
                                   Started how = Started::nonblocking);

}  // namespace hakaru::schedule
