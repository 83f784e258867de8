// Memory of a chosen node: latency and bandwidth from a core, and what the policies of the kernel
// give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/sharing/timing.hpp"
#include "probes/sharing/topology.hpp"

namespace hakaru::probes::sharing {

// bind: on one node. first_touch: where the thread runs that writes first. interleaved: pages in
// turns over all nodes.
enum class Policy { bind, first_touch, interleaved };
const char* name_of(Policy policy);

struct Placed {
  int processor;  // that loads and reads
  int node;       // asked for by `bind`; -1: the policy decides
  Policy policy;
};

// What is measured: each of `processors` with each node, and each policy from the first processor
// of each node.
std::vector<Placed> plan(const Topology& topology, const std::vector<int>& processors);

struct PlacementSamples {
  std::vector<double> latency_s;  // of a load, in random order
  std::vector<double> read_s;     // of reading all of the memory once
  int seen_node = -1;             // of most of its pages, as the kernel says; -1 when it does not
  double share = 0.0;             // of the pages there
  double wrong = 0.0;             // chains cut short, sums that are wrong
};

// Throws UserError(environment) when the kernel refuses the policy.
PlacementSamples measure(const Topology& topology, const Placed& placed, std::int64_t bytes,
                         const Sampling& sampling);

}  // namespace hakaru::probes::sharing
