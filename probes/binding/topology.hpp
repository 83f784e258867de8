// Which processors each rank of a node is bound to by a policy, the binding itself, and what the
// kernel says about it afterwards. Through hwloc.
#pragma once

#include <hwloc.h>

#include <array>
#include <string>
#include <vector>

namespace hakaru::probes::binding {

// none: all processors that the node lets us use. compact: processor by processor, so that ranks
// share cores and sockets as long as they can. scatter: as far from each other as they can be.
// node_rank: each rank the core with its number within the node, with all processors of that core.
enum class Policy { none, compact, scatter, node_rank };
inline constexpr std::array policies{Policy::none, Policy::compact, Policy::scatter,
                                     Policy::node_rank};
const char* name_of(Policy policy);

// Processors by the operating system's numbers, ascending.
using Processors = std::vector<int>;
std::string words(const Processors& processors);  // "0 4"

class Topology {
 public:
  // Of this node. Throws UserError(environment) when hwloc cannot tell.
  Topology();
  // Of a machine described as hwloc does ("package:2 core:4 pu:2"); nothing can be bound to it.
  explicit Topology(const std::string& synthetic);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  int processors() const;
  int cores() const;
  // For rank `local_rank` of `local_ranks` on this node.
  Processors chosen(Policy policy, int local_rank, int local_ranks) const;
  // Number of the core that has this processor, -1 if none has.
  int core_of(int processor) const;

  // Binds the calling thread; false when the kernel refuses.
  bool bind(const Processors& processors) const;
  // What the kernel lets the calling thread run on, and where it last ran.
  Processors bound() const;
  int seen() const;

 private:
  void load();
  hwloc_topology_t topology_;
};

}  // namespace hakaru::probes::binding
