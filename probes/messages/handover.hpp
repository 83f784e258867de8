// How near the processors of two ranks are when a round begins: half of a round trip of an empty
// message between them (native/base/handover.hpp says what it tells).
#pragma once

#include <string>

#include "native/harness/program.hpp"
#include "probes/messages/rounds.hpp"

namespace hakaru::probes::messages {

void describe_handover(base::Description& description);

// The first point of each round of a part, between the first rank of the communicator and its last,
// which is rank `other` of all.
Point handover_point(harness::Run& run, const parallel::Communicator& communicator, int other,
                     const std::string& part);

}  // namespace hakaru::probes::messages
