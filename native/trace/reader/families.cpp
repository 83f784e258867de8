#include <algorithm>
#include <map>

#include "native/trace/reader/definitions.hpp"

namespace hakaru::trace {
namespace {

// A rank is in at most one group of a family, so a family and a rank name one communicator: any
// communicators without common members may share a family.
struct Candidate {
  std::uint32_t family;
  std::vector<bool> taken;  // by world rank
};

constexpr std::size_t tried = 16;  // most recent families of one parent

bool fits(const Candidate& candidate, const std::vector<std::int32_t>& members) {
  return std::none_of(members.begin(), members.end(), [&](std::int32_t rank) {
    return candidate.taken[static_cast<std::size_t>(rank)];
  });
}

std::vector<std::int32_t> everyone(std::int32_t ranks) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) all[static_cast<std::size_t>(rank)] = rank;
  return all;
}

}  // namespace

void make_families(Definitions& definitions) {
  std::vector<schedule::CommunicatorFamily>& families = definitions.families;
  families = {{"world", {}, false}};
  bool world_seen = false;
  std::int64_t self = -1;
  std::map<std::uint32_t, std::vector<Candidate>> candidates;
  for (Communicator& communicator : definitions.communicators.values()) {
    if (communicator.self) {
      if (self < 0) {
        self = static_cast<std::int64_t>(families.size());
        families.push_back({"self", {}, true});
      }
      communicator.family = static_cast<std::uint32_t>(self);
      continue;
    }
    if (communicator.all && !communicator.inter) {
      communicator.family =
          world_seen ? static_cast<std::uint32_t>(families.size()) : schedule::world;
      if (world_seen)
        families.push_back({communicator.name, {everyone(definitions.ranks())}, false});
      world_seen = true;
      continue;
    }
    std::vector<std::int32_t> members = communicator.members;
    members.insert(members.end(), communicator.remote.begin(), communicator.remote.end());
    std::vector<Candidate>& of_parent = candidates[communicator.parent];
    const auto first = of_parent.size() > tried ? of_parent.end() - tried : of_parent.begin();
    auto found = communicator.inter ? of_parent.end()
                                    : std::find_if(first, of_parent.end(), [&](const Candidate& c) {
                                        return fits(c, members);
                                      });
    if (found == of_parent.end()) {
      const auto family = static_cast<std::uint32_t>(families.size());
      families.push_back({communicator.name, {}, false});
      Candidate fresh{family, std::vector<bool>(static_cast<std::size_t>(definitions.ranks()))};
      communicator.family = family;
      families[family].groups.push_back(members);
      if (communicator.inter) continue;
      of_parent.push_back(std::move(fresh));
      found = of_parent.end() - 1;
    } else {
      communicator.family = found->family;
      families[found->family].groups.push_back(members);
    }
    for (const std::int32_t rank : members) found->taken[static_cast<std::size_t>(rank)] = true;
  }
}

}  // namespace hakaru::trace
