// Checks that messages arrive with the content that was sent, and that delays and barriers hold
// what they promise.
#pragma once

#include <cstdint>
#include <vector>

#include "native/base/checks.hpp"
#include "native/parallel/communicator.hpp"
#include "probes/messages/collective.hpp"
#include "probes/messages/placement.hpp"
#include "probes/messages/point_to_point.hpp"

namespace hakaru::probes::messages {

// Ranks `pair.first` and `pair.second` of the world, in this order; of size 0 on other ranks.
// Collective over the world.
parallel::Communicator join_pair(const parallel::Communicator& world, const Pair& pair);

// The first `ranks` ranks of the world; of size 0 on other ranks. Collective over the world.
parallel::Communicator join_first(const parallel::Communicator& world, int ranks);

// Operations that are measured on a communicator.
const std::vector<Operation>& all_operations();

// Bytes that arrived wrong: one message of each size and direction. Collective over the pair.
std::int64_t wrong_in_messages(PointToPoint& messages, const std::vector<std::int64_t>& sizes,
                               bool damage);

// Bytes or elements that arrived wrong in one operation of each size. Collective over the
// communicator of `collectives`.
std::int64_t wrong_in_operation(Collectives& collectives, Operation operation,
                                std::int64_t maximum_bytes, int ranks, bool damage);

// The whole verification at any number of ranks; a single rank sends to itself. Collective over the
// world.
void verify_messages(const parallel::Communicator& world, const std::vector<Placement>& placements,
                     bool damage, base::Checks& checks);

}  // namespace hakaru::probes::messages
