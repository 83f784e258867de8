// Where ranks run, and what lies between two of them.
#pragma once

#include <string>
#include <vector>

#include "native/base/description.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::probes::messages {

// What the kernel says about one rank. Numbers that it does not tell are -1.
struct Placement {
  std::string host;
  int processor = -1;   // where it ran when asked
  int package = -1;     // socket of that processor
  int core = -1;        // core of that processor, unique within the socket
  bool pinned = false;  // it may run on this one processor only
  // "level:processors" of each data or unified cache of the processor, as the kernel lists them.
  std::vector<std::string> caches;
};

// Two ranks to be measured, and the network level between them.
struct Pair {
  std::string level;
  int first, second;
};

// Placement of the calling rank. `sysfs_processors` is the folder of the cpuN folders.
Placement observe_placement(const std::string& sysfs_processors = "/sys/devices/system/cpu");

// Placements of all ranks, on every rank. Collective.
std::vector<Placement> gather_placements(const parallel::Communicator& world);

// "core" within one socket, "socket" across sockets of a host, `across_hosts` otherwise.
std::string level_between(const Placement& a, const Placement& b, const std::string& across_hosts);

// Number of the lowest cache level that both processors share; 0 when they share none that the
// kernel shows.
int shared_cache_level(const Placement& a, const Placement& b);

// For every level that separates rank 0 from another rank, the lowest such rank; rank 1 comes
// first.
std::vector<Pair> choose_pairs(const std::vector<Placement>& placements,
                               const std::string& across_hosts);

// The widest level between rank 0 and any of the first `ranks` ranks.
std::string widest_level(const std::vector<Placement>& placements, int ranks,
                         const std::string& across_hosts);

base::json to_json(const Placement& placement);
Placement placement_from_json(const base::json& json);

}  // namespace hakaru::probes::messages
