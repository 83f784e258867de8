// Everything that is measured, in rounds that take turns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/harness/program.hpp"
#include "native/parallel/communicator.hpp"
#include "probes/messages/placement.hpp"
#include "probes/messages/point_to_point.hpp"

namespace hakaru::probes::messages {

// Between which ranks messages are measured.
struct Between {
  std::vector<Placement> placements;  // of every rank
  std::vector<Pair> pairs;
  std::vector<std::unique_ptr<PointToPoint>> messages;  // of each pair; null on other ranks
  std::vector<int> groups;                              // how many of the first ranks each has
  std::vector<std::optional<parallel::Communicator>> members;  // of each group; empty on others
};

// Whether this part of everything was asked for.
bool wants(const base::Parameters& parameters, const std::string& part);

// Of the ping-pongs that are measured in rounds.
std::vector<std::int64_t> ping_pong_sizes(const base::Parameters& parameters);

// Rounds of all parts, pairs and groups take turns, so that what moves the machine's state meets
// all of them alike. Collective over all ranks.
void measure_in_turns(harness::Run& run, const Between& between);

}  // namespace hakaru::probes::messages
