// What two cores share, and which memory nodes there are: by hwloc, so that topologies that are
// not here can be tried.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>
#include <vector>

namespace hakaru::probes::sharing {

class Topology {
 public:
  // Of this host; of hwloc's synthetic description ("pack:2 [numa] l3:2 core:4 pu:1") when it is
  // given. Throws UserError(environment) when hwloc cannot read it.
  explicit Topology(const std::string& synthetic = "");

  hwloc_topology_t get() const { return topology_.get(); }

  // What two processors share that is nearest to them: "core", "L2", "L3", "node", "package" or
  // "machine".
  std::string shared_by(int first, int second) const;

  // System numbers of the memory nodes, those with another kind of memory (such as HBM) too.
  std::vector<int> nodes() const;
  // The kind as hwloc says it ("HBM", "DRAM"), or "memory" where it does not.
  std::string kind_of(int node) const;
  // The node whose processors include this one; -1 when none does.
  int node_of(int processor) const;

 private:
  struct Gone {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  };
  std::unique_ptr<hwloc_topology, Gone> topology_;
};

struct CorePair {
  int first, second;   // system numbers of processors
  std::string shares;  // what they share
};

// All pairs of these processors, at most `most`: with more, the pairs of the first one, then of the
// second, and so on, so that every kind is among them.
std::vector<CorePair> pairs_of(const Topology& topology, const std::vector<int>& processors,
                               std::size_t most);

// The first pair of each kind of sharing.
std::vector<CorePair> one_of_each_kind(const std::vector<CorePair>& pairs);

// The first of the processors that is in each memory node.
std::vector<int> one_of_each_node(const Topology& topology, const std::vector<int>& processors);

}  // namespace hakaru::probes::sharing
