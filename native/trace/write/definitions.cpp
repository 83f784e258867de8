#include "native/trace/write/definitions.hpp"

#include <fmt/format.h>

namespace hakaru::trace {
namespace {

// 0 to 2 are the locations, the world and the group of MPI_COMM_SELF; communicators 0 and 1 are the
// world and MPI_COMM_SELF.
constexpr std::uint32_t first_group = 3, first_communicator = 2;

// otf2-print wants definitions in the order of their numbers.
template <typename Map>
std::vector<const typename Map::value_type*> by_number(const Map& all, std::uint32_t first) {
  std::vector<const typename Map::value_type*> found(all.size());
  for (const auto& one : all) found[one.second - first] = &one;
  return found;
}

}  // namespace

WrittenDefinitions::WrittenDefinitions(const schedule::Schedule& schedule) : schedule_(schedule) {
  string("");
  OTF2_CommRef next = first_communicator;
  for (std::size_t i = 0; i < schedule.communicators.size(); ++i) {
    const schedule::CommunicatorFamily& from = schedule.communicators[i];
    Family family;
    if (from.self || i == schedule::world) {
      family.first = from.self ? 1 : 0;
    } else {
      family.first = next;
      next += std::max<std::uint32_t>(1, static_cast<std::uint32_t>(from.groups.size()));
    }
    if (!from.groups.empty()) {
      family.group.assign(static_cast<std::size_t>(schedule.ranks), -1);
      family.own = family.group;
    }
    for (std::size_t group = 0; group < from.groups.size(); ++group)
      for (std::size_t place = 0; place < from.groups[group].size(); ++place) {
        const auto rank = static_cast<std::size_t>(from.groups[group][place]);
        family.group[rank] = static_cast<std::int32_t>(group);
        family.own[rank] = static_cast<std::int32_t>(place);
      }
    families_.push_back(std::move(family));
  }
}

OTF2_StringRef WrittenDefinitions::string(const std::string& text) {
  return strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size())).first->second;
}

OTF2_RegionRef WrittenDefinitions::call(const std::string& name) {
  const auto next = static_cast<OTF2_RegionRef>(schedule_.phases.size() + calls_.size());
  return calls_.try_emplace(name, next).first->second;
}

OTF2_GroupRef WrittenDefinitions::group(const std::vector<std::int64_t>& world_ranks) {
  const std::vector<std::uint64_t> members(world_ranks.begin(), world_ranks.end());
  const auto next = static_cast<OTF2_GroupRef>(first_group + groups_.size());
  return groups_.try_emplace(members, next).first->second;
}

Place WrittenDefinitions::place(std::uint32_t number, std::int32_t rank) const {
  const Family& family = families_[number];
  if (schedule_.communicators[number].self) return {family.first, 0, 1};
  if (family.group.empty()) return {family.first, rank, schedule_.ranks};
  const auto group = static_cast<std::size_t>(family.group[static_cast<std::size_t>(rank)]);
  return {static_cast<OTF2_CommRef>(family.first + group),
          family.own[static_cast<std::size_t>(rank)],
          static_cast<std::int32_t>(schedule_.communicators[number].groups[group].size())};
}

std::uint32_t WrittenDefinitions::inside(std::uint32_t number, std::int32_t world_rank) const {
  const Family& family = families_[number];
  if (schedule_.communicators[number].self) return 0;
  if (family.own.empty()) return static_cast<std::uint32_t>(world_rank);
  return static_cast<std::uint32_t>(family.own[static_cast<std::size_t>(world_rank)]);
}

std::uint32_t WrittenDefinitions::numbered(Numbered& all, std::uint32_t family,
                                           std::int32_t rank) const {
  const auto next = static_cast<std::uint32_t>(all.size());
  return all.try_emplace(place(family, rank).communicator, next, family).first->second.first;
}

// Twice: the first pass only finds out which strings and groups there are.
void WrittenDefinitions::write(OTF2_GlobalDefWriter* out,
                               const std::vector<WrittenLocation>& of_locations,
                               std::uint64_t ticks_per_second, std::uint64_t last_tick) {
  OTF2_GlobalDefWriter_WriteClockProperties(out, ticks_per_second, 0, last_tick,
                                            OTF2_UNDEFINED_TIMESTAMP);
  for (OTF2_GlobalDefWriter* to : {static_cast<OTF2_GlobalDefWriter*>(nullptr), out}) {
    if (to != nullptr)
      for (const auto* one : by_number(strings_, 0))
        OTF2_GlobalDefWriter_WriteString(to, one->second, one->first.c_str());
    locations(to, of_locations);
    regions(to);
    communicators(to);
    windows_and_files(to);
  }
}

void WrittenDefinitions::locations(OTF2_GlobalDefWriter* out,
                                   const std::vector<WrittenLocation>& all) {
  const OTF2_StringRef replayed = string("replay"), node = string("node");
  if (out != nullptr)
    OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, replayed, node,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (std::int32_t rank = 0; rank < schedule_.ranks; ++rank) {
    const OTF2_StringRef name = string(fmt::format("MPI Rank {}", rank));
    if (out != nullptr)
      OTF2_GlobalDefWriter_WriteLocationGroup(out, static_cast<OTF2_LocationGroupRef>(rank), name,
                                              OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                              OTF2_UNDEFINED_LOCATION_GROUP);
  }
  for (const WrittenLocation& one : all) {
    const OTF2_StringRef name =
        string(one.thread == 0 ? "Master thread" : fmt::format("Thread {}", one.thread));
    if (out != nullptr)
      OTF2_GlobalDefWriter_WriteLocation(out, one.reference, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                         one.events, static_cast<OTF2_LocationGroupRef>(one.rank));
  }
}

void WrittenDefinitions::regions(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef mpi = string("MPI"), empty = string("");
  if (out != nullptr)
    OTF2_GlobalDefWriter_WriteParadigm(out, OTF2_PARADIGM_MPI, mpi, OTF2_PARADIGM_CLASS_PROCESS);
  for (std::size_t i = 0; i < schedule_.phases.size(); ++i) {
    const OTF2_StringRef name = string(schedule_.phases[i].name),
                         kind = string(schedule_.phases[i].kind);
    if (out != nullptr)
      OTF2_GlobalDefWriter_WriteRegion(out, static_cast<OTF2_RegionRef>(i), name, name, kind,
                                       OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
                                       OTF2_REGION_FLAG_NONE, empty, 0, 0);
  }
  for (const auto* one : by_number(calls_, static_cast<std::uint32_t>(schedule_.phases.size()))) {
    const OTF2_StringRef name = string(one->first);
    if (out != nullptr)
      OTF2_GlobalDefWriter_WriteRegion(out, one->second, name, name, empty,
                                       OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                       OTF2_REGION_FLAG_NONE, empty, 0, 0);
  }
  define_attributes(out, [&](const std::string& text) { return string(text); });
}

void WrittenDefinitions::communicators(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef empty = string(""), world = string("MPI_COMM_WORLD"),
                       self = string("MPI_COMM_SELF");
  const auto define_group = [&](OTF2_GroupRef reference, OTF2_GroupType type,
                                const std::vector<std::uint64_t>& members) {
    OTF2_GlobalDefWriter_WriteGroup(out, reference, empty, type, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(members.size()), members.data());
  };
  std::vector<std::uint64_t> all;
  for (std::int32_t rank = 0; rank < schedule_.ranks; ++rank)
    all.push_back(static_cast<std::uint64_t>(rank));
  for (const schedule::CommunicatorFamily& family : schedule_.communicators)
    for (const std::vector<std::int32_t>& members : family.groups)
      group({members.begin(), members.end()});
  if (out != nullptr) {
    define_group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, all);
    define_group(1, OTF2_GROUP_TYPE_COMM_GROUP, all);
    define_group(2, OTF2_GROUP_TYPE_COMM_SELF, {});
    for (const auto* one : by_number(groups_, first_group))
      define_group(one->second, OTF2_GROUP_TYPE_COMM_GROUP, one->first);
    OTF2_GlobalDefWriter_WriteComm(out, 0, world, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(out, 1, self, 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  }
  for (std::size_t i = 1; i < families_.size(); ++i) {
    const schedule::CommunicatorFamily& family = schedule_.communicators[i];
    if (family.self) continue;
    const OTF2_StringRef name = string(family.name);
    const std::size_t count = std::max<std::size_t>(1, family.groups.size());
    for (std::size_t g = 0; g < count; ++g) {
      const OTF2_GroupRef members =
          family.groups.empty() ? 1 : group({family.groups[g].begin(), family.groups[g].end()});
      if (out != nullptr)
        OTF2_GlobalDefWriter_WriteComm(out, static_cast<OTF2_CommRef>(families_[i].first + g), name,
                                       members, 0, OTF2_COMM_FLAG_NONE);
    }
  }
}

void WrittenDefinitions::windows_and_files(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef created = string("created"), allocated = string("allocated"),
                       io = string("MPI-IO"), empty = string("");
  for (const auto& [communicator, numbered] : windows_) {
    const bool given = schedule_.communicators[numbered.second].created_windows;
    if (out != nullptr)
      OTF2_GlobalDefWriter_WriteRmaWin(out, numbered.first, given ? created : allocated,
                                       communicator, OTF2_RMA_WIN_FLAG_NONE);
  }
  if (files_.empty() || out == nullptr) return;
  OTF2_GlobalDefWriter_WriteIoParadigm(out, 0, io, io, OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                       OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr);
  OTF2_GlobalDefWriter_WriteIoRegularFile(out, 0, empty, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (const auto& [communicator, numbered] : files_)
    OTF2_GlobalDefWriter_WriteIoHandle(out, numbered.first, empty, 0, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                       communicator, OTF2_UNDEFINED_IO_HANDLE);
}

}  // namespace hakaru::trace
