// What the events of a written archive refer to, and its definitions.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "native/schedule/schedule.hpp"
#include "native/trace/own_names.hpp"

namespace hakaru::trace {

struct WrittenLocation {
  std::uint64_t reference = 0, events = 0;
  std::int32_t rank = 0;
  std::uint32_t thread = 0;  // 0: the rank's own
};

// A communicator as one rank sees it.
struct Place {
  OTF2_CommRef communicator = 0;
  std::int32_t own = 0, size = 1;
};

class WrittenDefinitions {
 public:
  explicit WrittenDefinitions(const schedule::Schedule& schedule);

  OTF2_StringRef string(const std::string& text);
  OTF2_RegionRef call(const std::string& name);
  OTF2_RegionRef phase(std::uint16_t phase) const { return phase; }
  OTF2_GroupRef group(const std::vector<std::int64_t>& world_ranks);
  Place place(std::uint32_t family, std::int32_t rank) const;
  // Rank in the family's communicator of which `rank` is a member.
  std::uint32_t inside(std::uint32_t family, std::int32_t world_rank) const;
  OTF2_RmaWinRef window(std::uint32_t family, std::int32_t rank) {
    return numbered(windows_, family, rank);
  }
  OTF2_IoHandleRef file(std::uint32_t family, std::int32_t rank) {
    return numbered(files_, family, rank);
  }

  void write(OTF2_GlobalDefWriter* out, const std::vector<WrittenLocation>& locations,
             std::uint64_t ticks_per_second, std::uint64_t last_tick);

 private:
  using Numbered =
      std::map<OTF2_CommRef, std::pair<std::uint32_t, std::uint32_t>>;  // number, family
  std::uint32_t numbered(Numbered& all, std::uint32_t family, std::int32_t rank) const;
  void locations(OTF2_GlobalDefWriter* out, const std::vector<WrittenLocation>& locations);
  void regions(OTF2_GlobalDefWriter* out);
  void communicators(OTF2_GlobalDefWriter* out);
  void windows_and_files(OTF2_GlobalDefWriter* out);

  struct Family {
    std::vector<std::int32_t> group, own;  // by world rank; empty: one group of all, or self
    OTF2_CommRef first = 0;
  };
  const schedule::Schedule& schedule_;
  std::vector<Family> families_;
  std::map<std::string, OTF2_StringRef> strings_;
  std::map<std::string, OTF2_RegionRef> calls_;
  std::map<std::vector<std::uint64_t>, OTF2_GroupRef> groups_;
  Numbered windows_, files_;
};

}  // namespace hakaru::trace
