#include "native/trace/convert/archive_writer.hpp"

#include <fmt/format.h>

namespace hakaru::trace {
namespace {

OTF2_RegionRole role_of(const hakaru_raw_call& call) {
  switch (call.class_id) {
    case HAKARU_CLASS_POINT_TO_POINT:
    case HAKARU_CLASS_COMPLETION:
    case HAKARU_CLASS_PROBE:
      return OTF2_REGION_ROLE_POINT2POINT;
    case HAKARU_CLASS_ONE_SIDED:
      return OTF2_REGION_ROLE_RMA;
    case HAKARU_CLASS_FILE:
      return OTF2_REGION_ROLE_FILE_IO;
    case HAKARU_CLASS_COLLECTIVE:
      break;
    default:
      return OTF2_REGION_ROLE_FUNCTION;
  }
  switch (call.collective) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      return OTF2_REGION_ROLE_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return OTF2_REGION_ROLE_COLL_OTHER;
    default:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
  }
}

}  // namespace

ArchiveWriter::ArchiveWriter(const std::string& folder, const World& world)
    : world_(world),
      archive_(folder, "hakaru"),
      next_extra_location_(static_cast<std::uint64_t>(world.ranks)) {
  OTF2_Archive_SetDescription(archive_.handle(),
                              fmt::format("{}; {}", world.program, world.mpi_library).c_str());
  if (!world.oversubscribed.empty())
    require_written(OTF2_Archive_SetProperty(archive_.handle(), property::oversubscribed,
                                             world.oversubscribed.c_str(), true),
                    "setting its properties");
  string("");
}

OTF2_StringRef ArchiveWriter::string(const std::string& text) {
  const auto [place, fresh] =
      strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
  if (fresh) unwritten_strings_.push_back(&place->first);
  return place->second;
}

OTF2_RegionRef ArchiveWriter::phase(const std::string& name) {
  const std::size_t calls = world_.regions.size();
  return phases_.try_emplace(name, static_cast<OTF2_RegionRef>(calls + phases_.size()))
      .first->second;
}

// 0 to 2 are the locations, the world and the group of MPI_COMM_SELF.
OTF2_GroupRef ArchiveWriter::group(const std::vector<std::uint64_t>& world_ranks) {
  return groups_.try_emplace(world_ranks, static_cast<OTF2_GroupRef>(3 + groups_.size()))
      .first->second;
}

OTF2_EvtWriter* ArchiveWriter::open(std::int32_t rank, std::int32_t thread) {
  const std::uint64_t reference =
      thread == 0 ? static_cast<std::uint64_t>(rank) : next_extra_location_++;
  return archive_.open(reference);
}

void ArchiveWriter::close(OTF2_EvtWriter* writer, LocationEntry entry) {
  OTF2_EvtWriter_GetLocationID(writer, &entry.reference);
  entry.events = archive_.close(writer);
  locations_.push_back(std::move(entry));
}

std::uint64_t ArchiveWriter::events() const {
  std::uint64_t sum = 0;
  for (const LocationEntry& location : locations_) sum += location.events;
  return sum;
}

void ArchiveWriter::finish() {
  std::vector<std::uint64_t> references;
  for (const LocationEntry& location : locations_) references.push_back(location.reference);
  OTF2_GlobalDefWriter* definitions = archive_.end_events(references);
  require_written(
      OTF2_GlobalDefWriter_WriteClockProperties(
          definitions, 1'000'000'000, world_.start_ns,
          last_time_ > world_.start_ns ? last_time_ - world_.start_ns : 0, world_.realtime_ns),
      "writing definitions");
  for (int pass = 0; pass < 2; ++pass) {
    // The first pass only finds out which strings there are.
    if (pass == 1) {
      for (const std::string* text : unwritten_strings_)
        OTF2_GlobalDefWriter_WriteString(definitions, strings_[*text], text->c_str());
    }
    OTF2_GlobalDefWriter* out = pass == 1 ? definitions : nullptr;
    define_locations(out);
    define_regions(out);
    define_communicators(out);
    define_files(out);
  }
  archive_.finish();
}

void ArchiveWriter::define_locations(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef machine = string("machine"), node = string("node");
  const OTF2_StringRef ended = string(property::ended), open_call = string(property::open_call),
                       freed = string(property::freed_requests),
                       inside = string(property::inside_ns),
                       memory = string(property::memory_bytes),
                       in_long = string(property::long_bytes),
                       in_large_pages = string(property::large_page_bytes);
  std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
  if (out)
    OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, machine, machine,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (std::int32_t rank = 0; rank < world_.ranks; ++rank) {
    const std::string& host = world_.hosts[static_cast<std::size_t>(rank)];
    const auto [place, fresh] =
        hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
    const OTF2_StringRef name = string(host), process = string(fmt::format("MPI Rank {}", rank));
    if (!out) continue;
    if (fresh) OTF2_GlobalDefWriter_WriteSystemTreeNode(out, place->second, name, node, 0);
    OTF2_GlobalDefWriter_WriteLocationGroup(out, static_cast<OTF2_LocationGroupRef>(rank), process,
                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, place->second,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
  }
  for (const LocationEntry& location : locations_) {
    const OTF2_StringRef name =
        string(location.thread == 0 ? "Master thread" : fmt::format("Thread {}", location.thread));
    const OTF2_StringRef how = string(location.ended), call = string(location.open_call);
    for (const auto& [uncovered, count] : location.uncovered)
      string(fmt::format("{}{}", property::uncovered, uncovered));
    for (const auto& [name_of_call, ns] : location.costs)
      string(fmt::format("{}{}", property::cost_ns, name_of_call));
    if (!out) continue;
    OTF2_GlobalDefWriter_WriteLocation(out, location.reference, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                       location.events,
                                       static_cast<OTF2_LocationGroupRef>(location.rank));
    if (location.thread != 0) continue;
    OTF2_AttributeValue value;
    value.stringRef = how;
    OTF2_GlobalDefWriter_WriteLocationProperty(out, location.reference, ended, OTF2_TYPE_STRING,
                                               value);
    if (!location.open_call.empty()) {
      value.stringRef = call;
      OTF2_GlobalDefWriter_WriteLocationProperty(out, location.reference, open_call,
                                                 OTF2_TYPE_STRING, value);
    }
    const auto number = [&](OTF2_StringRef what, std::uint64_t known) {
      if (known == 0) return;
      value.uint64 = known;
      OTF2_GlobalDefWriter_WriteLocationProperty(out, location.reference, what, OTF2_TYPE_UINT64,
                                                 value);
    };
    number(freed, location.freed_requests);
    number(inside, location.inside_ns);
    number(memory, location.memory_bytes);
    number(in_long, location.long_bytes);
    number(in_large_pages, location.large_page_bytes);
    for (const auto& [uncovered, count] : location.uncovered) {
      value.uint64 = count;
      OTF2_GlobalDefWriter_WriteLocationProperty(
          out, location.reference, string(fmt::format("{}{}", property::uncovered, uncovered)),
          OTF2_TYPE_UINT64, value);
    }
    for (const auto& [name_of_call, ns] : location.costs) {
      value.uint64 = ns;
      OTF2_GlobalDefWriter_WriteLocationProperty(
          out, location.reference, string(fmt::format("{}{}", property::cost_ns, name_of_call)),
          OTF2_TYPE_UINT64, value);
    }
  }
}

void ArchiveWriter::define_regions(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef mpi = string("MPI"), empty = string("");
  if (out) {
    OTF2_GlobalDefWriter_WriteParadigm(out, OTF2_PARADIGM_MPI, mpi, OTF2_PARADIGM_CLASS_PROCESS);
  }
  for (std::size_t i = 0; i < world_.regions.size(); ++i) {
    const OTF2_StringRef name = string(world_.region_names[i]);
    if (out) {
      OTF2_GlobalDefWriter_WriteRegion(out, static_cast<OTF2_RegionRef>(i), name, name, empty,
                                       role_of(world_.regions[i]), OTF2_PARADIGM_MPI,
                                       OTF2_REGION_FLAG_NONE, empty, 0, 0);
    }
  }
  std::vector<const std::string*> phases(phases_.size());
  for (const auto& [text, reference] : phases_) phases[reference - world_.regions.size()] = &text;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const OTF2_StringRef name = string(*phases[i]);
    const auto reference = static_cast<OTF2_RegionRef>(world_.regions.size() + i);
    if (out) {
      OTF2_GlobalDefWriter_WriteRegion(out, reference, name, name, empty, OTF2_REGION_ROLE_CODE,
                                       OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, empty, 0, 0);
    }
  }
  define_attributes(out, [&](const std::string& text) { return string(text); });
}

namespace {
// By the kind of hakaru_raw_window.
constexpr const char* window_names[] = {"",       "created", "allocated",
                                        "shared", "dynamic", "PUT and GET"};
}  // namespace

void ArchiveWriter::define_communicators(OTF2_GlobalDefWriter* out) {
  const OTF2_StringRef empty = string("");
  std::vector<std::uint64_t> all;
  for (std::int32_t rank = 0; rank < world_.ranks; ++rank)
    all.push_back(static_cast<std::uint64_t>(rank));
  const auto wide = [](const std::vector<std::int32_t>& ranks) {
    return std::vector<std::uint64_t>(ranks.begin(), ranks.end());
  };
  std::vector<std::pair<OTF2_GroupRef, OTF2_GroupRef>> groups;
  for (const WorldCommunicator& c : world_.communicators) {
    const bool list = !c.members.empty();
    groups.emplace_back(list ? group(wide(c.members)) : 1,
                        c.remote.empty() ? OTF2_UNDEFINED_GROUP : group(wide(c.remote)));
  }
  if (out) {
    const auto size = static_cast<std::uint32_t>(all.size());
    OTF2_GlobalDefWriter_WriteGroup(out, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, size, all.data());
    OTF2_GlobalDefWriter_WriteGroup(out, 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, size, all.data());
    OTF2_GlobalDefWriter_WriteGroup(out, 2, empty, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, 0, nullptr);
    std::vector<const std::vector<std::uint64_t>*> by_reference(groups_.size());
    for (const auto& [members, reference] : groups_) by_reference[reference - 3] = &members;
    for (std::size_t i = 0; i < by_reference.size(); ++i) {
      OTF2_GlobalDefWriter_WriteGroup(
          out, static_cast<OTF2_GroupRef>(i + 3), empty, OTF2_GROUP_TYPE_COMM_GROUP,
          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
          static_cast<std::uint32_t>(by_reference[i]->size()), by_reference[i]->data());
    }
  }
  for (std::size_t i = 0; i < world_.communicators.size(); ++i) {
    const WorldCommunicator& c = world_.communicators[i];
    const OTF2_StringRef name = string(i == 0   ? "MPI_COMM_WORLD"
                                       : i == 1 ? "MPI_COMM_SELF"
                                                : c.name);
    if (!out || c.kind == HAKARU_COMMUNICATOR_OUTSIDE) continue;
    const auto reference = static_cast<OTF2_CommRef>(i);
    if (c.kind == HAKARU_COMMUNICATOR_INTER) {
      OTF2_GlobalDefWriter_WriteInterComm(out, reference, name, groups[i].first, groups[i].second,
                                          c.parent, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    } else {
      OTF2_GlobalDefWriter_WriteComm(
          out, reference, name, i == 1 ? 2 : groups[i].first, c.parent,
          i < 2 ? OTF2_COMM_FLAG_NONE : OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    }
  }
  for (std::size_t i = 0; i < world_.windows.size(); ++i) {
    const OTF2_StringRef name = string(window_names[world_.windows[i].kind % 6]);
    if (out)
      OTF2_GlobalDefWriter_WriteRmaWin(out, static_cast<OTF2_RmaWinRef>(i), name,
                                       world_.windows[i].communicator,
                                       OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
  }
}

void ArchiveWriter::define_files(OTF2_GlobalDefWriter* out) {
  if (world_.files.empty()) return;
  const OTF2_StringRef io = string("MPI-IO"), empty = string("");
  if (out) {
    OTF2_GlobalDefWriter_WriteIoParadigm(out, 0, io, io, OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                         OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr);
  }
  std::map<std::string, OTF2_IoFileRef> files;
  for (std::size_t i = 0; i < world_.files.size(); ++i) {
    const auto [place, fresh] =
        files.try_emplace(world_.files[i].name, static_cast<OTF2_IoFileRef>(files.size()));
    const OTF2_StringRef name = string(place->first);
    if (!out) continue;
    if (fresh)
      OTF2_GlobalDefWriter_WriteIoRegularFile(out, place->second, name,
                                              OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteIoHandle(out, static_cast<OTF2_IoHandleRef>(i), empty, place->second,
                                       0, OTF2_IO_HANDLE_FLAG_NONE, world_.files[i].communicator,
                                       OTF2_UNDEFINED_IO_HANDLE);
  }
}

}  // namespace hakaru::trace
