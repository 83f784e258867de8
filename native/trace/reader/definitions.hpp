// What the definitions of an OTF2 archive say: ranks, regions, communicators, windows, files.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/schedule/schedule.hpp"
#include "native/trace/reader/call.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {

// Limits beyond which a number in an archive is damage, not data.
inline constexpr std::uint64_t greatest_bytes = 1ull << 50;
inline constexpr std::uint64_t greatest_ranks = 1ull << 24;

struct Region {
  std::string name;
  bool mpi = false;
  bool phase = false;
  std::string phase_kind;
  Call call;
  std::uint32_t index = 0;  // into Definitions::region_names
};

struct Communicator {
  std::string name;
  bool self = false;
  bool inter = false;
  bool world_ranks = false;           // ranks in events are ranks of the world
  bool all = false;                   // members are 0, 1, 2, ... of the world; the list is empty
  std::vector<std::int32_t> members;  // world ranks; inter-communicators: of group A
  std::vector<std::int32_t> remote;   // inter-communicators: group B
  std::uint32_t parent = OTF2_UNDEFINED_COMM;
  std::uint32_t family = 0;  // index into Schedule::communicators
};

struct File {
  std::uint32_t communicator = OTF2_UNDEFINED_COMM;
  bool mpi = false;
};

struct Group {
  OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  bool global = false;
  std::vector<std::uint64_t> members;
};

struct Location {
  std::uint64_t reference = 0;
  std::uint64_t events = 0;
  std::uint32_t process = OTF2_UNDEFINED_LOCATION_GROUP;
  bool thread = false;  // a CPU thread
  std::int32_t rank = -1;
  std::vector<std::pair<std::string, std::string>> properties;
};

// Looks references up: directly while they are small numbers, as writers of archives choose them.
template <typename Value>
class References {
 public:
  Value& add(std::uint64_t reference) {
    if (reference < 1u << 20) {
      if (reference >= small_.size()) small_.resize(static_cast<std::size_t>(reference) + 1, -1);
      if (small_[reference] < 0) {
        small_[reference] = static_cast<std::int32_t>(values_.size());
        values_.emplace_back();
      }
      return values_[static_cast<std::size_t>(small_[reference])];
    }
    const auto [place, fresh] = large_.try_emplace(reference, values_.size());
    if (fresh) values_.emplace_back();
    return values_[place->second];
  }
  const Value* find(std::uint64_t reference) const {
    if (reference < small_.size())
      return small_[reference] < 0 ? nullptr
                                   : &values_[static_cast<std::size_t>(small_[reference])];
    const auto place = large_.find(reference);
    return place == large_.end() ? nullptr : &values_[place->second];
  }
  Value* find(std::uint64_t reference) {
    return const_cast<Value*>(static_cast<const References*>(this)->find(reference));
  }
  std::vector<Value>& values() { return values_; }
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<std::int32_t> small_;
  std::unordered_map<std::uint64_t, std::size_t> large_;
  std::vector<Value> values_;
};

struct Definitions {
  double ticks_per_second = 1;
  std::uint64_t time_offset = 0;
  std::string program;
  std::vector<std::string> region_names;
  References<std::string> strings;
  References<Region> regions;
  References<Group> groups;
  References<Communicator> communicators;
  References<std::uint32_t> windows;        // communicator
  References<OTF2_StringRef> window_names;  // "created": in memory that the program gave
  References<File> files;
  References<std::string> attributes;
  std::vector<Location> locations;
  std::vector<std::size_t> location_of_rank;  // index into locations
  std::vector<std::string> hosts;             // by rank
  std::vector<schedule::CommunicatorFamily> families;

  std::int32_t ranks() const { return static_cast<std::int32_t>(location_of_rank.size()); }
};

inline std::uint64_t polling_gap_ticks(const Definitions& definitions) {
  return static_cast<std::uint64_t>(polling_gap_s * definitions.ticks_per_second);
}

// Reads and checks all global definitions; throws base::UserError when they contradict each other.
Definitions read_definitions(OTF2_Reader* reader, const ReadOptions& options);

// Puts communicators with disjoint members that have one parent into one family. `family` of each
// is set.
void make_families(Definitions& definitions);

}  // namespace hakaru::trace
