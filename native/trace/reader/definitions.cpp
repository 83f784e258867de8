#include "native/trace/reader/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <set>

#include "native/base/require.hpp"

namespace hakaru::trace {
namespace {

using base::require;

const char* const remedy = "trace the program again, or give an archive that otf2-print can read";

void sound(bool condition, const std::string& why) {
  require(condition, "the definitions of the archive contradict each other", why, remedy);
}

struct Process {
  std::uint32_t node = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
};
struct Node {
  OTF2_StringRef name = 0, class_name = 0;
  OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
};
struct RawCommunicator {
  OTF2_CommRef self;
  OTF2_StringRef name;
  OTF2_GroupRef a, b;
  OTF2_CommRef parent;
  bool inter;
};
struct RawFile {
  OTF2_IoHandleRef self;
  OTF2_IoParadigmRef paradigm;
  OTF2_CommRef communicator;
};

// What the callbacks collect; put together when everything is there, since definitions may refer to
// later ones.
struct Collector {
  const ReadOptions& options;
  Definitions definitions;
  References<Process> processes;
  References<Node> nodes;
  References<std::string> io_paradigms;
  std::vector<RawCommunicator> communicators;
  std::vector<RawFile> files;
  std::vector<std::tuple<OTF2_RegionRef, OTF2_StringRef, OTF2_StringRef, OTF2_Paradigm>> regions;
  std::vector<std::tuple<OTF2_LocationRef, OTF2_StringRef, OTF2_Type, OTF2_AttributeValue>>
      properties;
  std::vector<std::pair<OTF2_AttributeRef, OTF2_StringRef>> attributes;
  std::vector<std::pair<OTF2_IoParadigmRef, OTF2_StringRef>> paradigms;
  bool clock = false;
  std::exception_ptr failure;

  const std::string& text(OTF2_StringRef reference) const {
    static const std::string empty;
    const std::string* found = definitions.strings.find(reference);
    return found ? *found : empty;
  }
};

template <typename Work>
OTF2_CallbackCode collect(void* data, Work&& work) {
  auto& collector = *static_cast<Collector*>(data);
  try {
    work(collector);
    return OTF2_CALLBACK_SUCCESS;
  } catch (...) {
    collector.failure = std::current_exception();
    return OTF2_CALLBACK_INTERRUPT;
  }
}

OTF2_CallbackCode on_clock(void* data, std::uint64_t resolution, std::uint64_t offset,
                           std::uint64_t, std::uint64_t) {
  return collect(data, [&](Collector& c) {
    sound(resolution > 0 && resolution <= 1'000'000'000'000'000ull,
          fmt::format("a clock of {} ticks per second", resolution));
    sound(!c.clock, "two clocks");
    c.clock = true;
    c.definitions.ticks_per_second = static_cast<double>(resolution);
    c.definitions.time_offset = offset;
  });
}

OTF2_CallbackCode on_string(void* data, OTF2_StringRef self, const char* text) {
  return collect(data, [&](Collector& c) { c.definitions.strings.add(self) = text ? text : ""; });
}

OTF2_CallbackCode on_attribute(void* data, OTF2_AttributeRef self, OTF2_StringRef name,
                               OTF2_StringRef, OTF2_Type) {
  return collect(data, [&](Collector& c) { c.attributes.emplace_back(self, name); });
}

OTF2_CallbackCode on_node(void* data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                          OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent) {
  return collect(data, [&](Collector& c) { c.nodes.add(self) = {name, class_name, parent}; });
}

OTF2_CallbackCode on_process(void* data, OTF2_LocationGroupRef self, OTF2_StringRef,
                             OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                             OTF2_LocationGroupRef) {
  return collect(data, [&](Collector& c) { c.processes.add(self) = {node, type}; });
}

OTF2_CallbackCode on_location(void* data, OTF2_LocationRef self, OTF2_StringRef,
                              OTF2_LocationType type, std::uint64_t events,
                              OTF2_LocationGroupRef process) {
  return collect(data, [&](Collector& c) {
    c.definitions.locations.push_back(
        {self, events, process, type == OTF2_LOCATION_TYPE_CPU_THREAD, -1, {}});
  });
}

OTF2_CallbackCode on_location_property(void* data, OTF2_LocationRef location, OTF2_StringRef name,
                                       OTF2_Type type, OTF2_AttributeValue value) {
  return collect(data,
                 [&](Collector& c) { c.properties.emplace_back(location, name, type, value); });
}

OTF2_CallbackCode on_region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef description, OTF2_RegionRole, OTF2_Paradigm paradigm,
                            OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
  return collect(data,
                 [&](Collector& c) { c.regions.emplace_back(self, name, description, paradigm); });
}

OTF2_CallbackCode on_group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t count,
                           const std::uint64_t* members) {
  return collect(data, [&](Collector& c) {
    sound(count <= greatest_ranks, fmt::format("a group of {} members", count));
    Group& group = c.definitions.groups.add(self);
    group.type = type;
    group.paradigm = paradigm;
    group.global = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    group.members.assign(members, members + count);
  });
}

OTF2_CallbackCode on_communicator(void* data, OTF2_CommRef self, OTF2_StringRef name,
                                  OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag) {
  return collect(data, [&](Collector& c) {
    c.communicators.push_back({self, name, group, OTF2_UNDEFINED_GROUP, parent, false});
  });
}

OTF2_CallbackCode on_inter_communicator(void* data, OTF2_CommRef self, OTF2_StringRef name,
                                        OTF2_GroupRef a, OTF2_GroupRef b, OTF2_CommRef common,
                                        OTF2_CommFlag) {
  return collect(data, [&](Collector& c) {
    c.communicators.push_back({self, name, a, b, common, true});
  });
}

OTF2_CallbackCode on_window(void* data, OTF2_RmaWinRef self, OTF2_StringRef name,
                            OTF2_CommRef communicator, OTF2_RmaWinFlag) {
  return collect(data, [&](Collector& c) {
    c.definitions.windows.add(self) = communicator;
    c.definitions.window_names.add(self) = name;
  });
}

OTF2_CallbackCode on_io_paradigm(void* data, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                 OTF2_StringRef, OTF2_IoParadigmClass, OTF2_IoParadigmFlag,
                                 std::uint8_t, const OTF2_IoParadigmProperty*, const OTF2_Type*,
                                 const OTF2_AttributeValue*) {
  return collect(data, [&](Collector& c) { c.paradigms.emplace_back(self, identification); });
}

OTF2_CallbackCode on_file(void* data, OTF2_IoHandleRef self, OTF2_StringRef, OTF2_IoFileRef,
                          OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag, OTF2_CommRef communicator,
                          OTF2_IoHandleRef) {
  return collect(data, [&](Collector& c) { c.files.push_back({self, paradigm, communicator}); });
}

void read_all(OTF2_Reader* reader, Collector& collector) {
  OTF2_GlobalDefReader* global = OTF2_Reader_GetGlobalDefReader(reader);
  require(global != nullptr, "the global definitions cannot be opened",
          "the file is missing or damaged", remedy);
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_process);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_communicator);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_communicator);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
  OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(callbacks, on_io_paradigm);
  OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(callbacks, on_file);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &collector);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t expected = 0, read = 0;
  OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected);
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &read);
  if (collector.failure) std::rethrow_exception(collector.failure);
  require(code == OTF2_SUCCESS, "the global definitions cannot be read",
          std::string(OTF2_Error_GetDescription(code)) + fmt::format(" after {} of them", read),
          remedy);
  require(expected == read, "the global definitions are incomplete",
          fmt::format("{} of {} are there", read, expected), remedy);
  OTF2_Reader_CloseGlobalDefReader(reader, global);
}

void finish_regions(Collector& c) {
  for (const auto& [self, name, description, paradigm] : c.regions) {
    Region& region = c.definitions.regions.add(self);
    region.name = c.text(name).empty() ? fmt::format("region {}", self) : c.text(name);
    region.mpi = paradigm == OTF2_PARADIGM_MPI || region.name.starts_with("MPI_");
    region.call = region.mpi ? classify(region.name) : Call{};
    const PhaseRegions wanted = c.options.phases;
    region.phase =
        !region.mpi && (wanted == PhaseRegions::functions ||
                        (wanted == PhaseRegions::user && paradigm == OTF2_PARADIGM_USER));
    const std::string& kind = c.text(description);
    const bool known = kind == "compute" || kind == "communicate" || kind == "io" || kind == "idle";
    region.phase_kind = known ? kind : "compute";
    region.index = static_cast<std::uint32_t>(c.definitions.region_names.size());
    c.definitions.region_names.push_back(region.name);
  }
}

void finish_ranks(Collector& c) {
  Definitions& d = c.definitions;
  const std::vector<Group>& groups = d.groups.values();
  const auto world = std::find_if(groups.begin(), groups.end(), [](const Group& group) {
    return group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group.paradigm == OTF2_PARADIGM_MPI;
  });
  require(world != groups.end() && !world->members.empty(), "the archive holds no MPI ranks",
          "no group of MPI locations is defined", "give a trace of an MPI program");
  std::unordered_map<std::uint64_t, std::size_t> locations;
  for (std::size_t i = 0; i < d.locations.size(); ++i) {
    sound(locations.emplace(d.locations[i].reference, i).second,
          fmt::format("location {} is defined twice", d.locations[i].reference));
  }
  for (const std::uint64_t member : world->members) {
    const auto place = locations.find(member);
    sound(place != locations.end(),
          fmt::format("rank {} is at the unknown location {}", d.location_of_rank.size(), member));
    Location& location = d.locations[place->second];
    sound(location.rank < 0, fmt::format("location {} is two ranks", member));
    location.rank = static_cast<std::int32_t>(d.location_of_rank.size());
    d.location_of_rank.push_back(place->second);
    const Process* process = c.processes.find(location.process);
    const Node* node = process ? c.nodes.find(process->node) : nullptr;
    std::string host = node ? c.text(node->name) : "";
    for (int depth = 0; node && depth < 64; ++depth) {
      if (c.text(node->class_name) == "node") host = c.text(node->name);
      node = c.nodes.find(node->parent);
    }
    d.hosts.push_back(host);
  }
  for (const auto& [reference, name, type, value] : c.properties) {
    const auto place = locations.find(reference);
    sound(place != locations.end(),
          fmt::format("a property of the unknown location {}", reference));
    const std::string text =
        type == OTF2_TYPE_STRING ? c.text(value.stringRef) : std::to_string(value.uint64);
    d.locations[place->second].properties.emplace_back(c.text(name), text);
  }
}

std::vector<std::int32_t> members_of(const Collector& c, OTF2_GroupRef reference,
                                     const std::string& who) {
  const Definitions& d = c.definitions;
  const Group* group = d.groups.find(reference);
  sound(group != nullptr, fmt::format("{} has the unknown group {}", who, reference));
  std::vector<std::int32_t> members;
  if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
    for (std::int32_t rank = 0; rank < d.ranks(); ++rank) members.push_back(rank);
    return members;
  }
  sound(group->type == OTF2_GROUP_TYPE_COMM_GROUP,
        fmt::format("{} has a group which is none of ranks", who));
  std::vector<bool> seen(static_cast<std::size_t>(d.ranks()));
  for (const std::uint64_t member : group->members) {
    sound(member < static_cast<std::uint64_t>(d.ranks()),
          fmt::format("{} has the unknown rank {}", who, member));
    sound(!seen[member], fmt::format("{} has rank {} twice", who, member));
    seen[member] = true;
    members.push_back(static_cast<std::int32_t>(member));
  }
  return members;
}

void finish_communicators(Collector& c) {
  Definitions& d = c.definitions;
  for (const RawCommunicator& raw : c.communicators) {
    const Group* group = d.groups.find(raw.a);
    if (group != nullptr && group->paradigm != OTF2_PARADIGM_MPI) continue;
    const std::string who = fmt::format("communicator {} ({})", raw.self, c.text(raw.name));
    sound(d.communicators.find(raw.self) == nullptr, who + " is defined twice");
    Communicator communicator;
    communicator.name = c.text(raw.name);
    communicator.parent = raw.parent;
    communicator.inter = raw.inter;
    communicator.self = group != nullptr && group->type == OTF2_GROUP_TYPE_COMM_SELF;
    communicator.world_ranks = group != nullptr && group->global;
    if (!communicator.self) communicator.members = members_of(c, raw.a, who);
    if (raw.inter) communicator.remote = members_of(c, raw.b, who);
    sound(communicator.self || !communicator.members.empty(), who + " has no members");
    bool identity = communicator.members.size() == static_cast<std::size_t>(d.ranks());
    for (std::size_t i = 0; identity && i < communicator.members.size(); ++i)
      identity = communicator.members[i] == static_cast<std::int32_t>(i);
    communicator.all = identity;
    if (identity && !raw.inter) communicator.members = {};
    d.communicators.add(raw.self) = std::move(communicator);
  }
  for (const std::uint32_t window : d.windows.values()) {
    sound(d.communicators.find(window) != nullptr,
          fmt::format("a window of the unknown communicator {}", window));
  }
  for (const RawFile& raw : c.files) {
    const std::string* paradigm = c.io_paradigms.find(raw.paradigm);
    const bool mpi = paradigm != nullptr && *paradigm == "MPI-IO";
    const bool known = d.communicators.find(raw.communicator) != nullptr;
    sound(!mpi || known || raw.communicator == OTF2_UNDEFINED_COMM,
          fmt::format("file {} has the unknown communicator {}", raw.self, raw.communicator));
    d.files.add(raw.self) = {known ? raw.communicator : OTF2_UNDEFINED_COMM, mpi};
  }
}

}  // namespace

Definitions read_definitions(OTF2_Reader* reader, const ReadOptions& options) {
  Collector collector{options, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, false, nullptr};
  read_all(reader, collector);
  sound(collector.clock, "no clock is defined");
  for (const auto& [self, name] : collector.attributes)
    collector.definitions.attributes.add(self) = collector.text(name);
  for (const auto& [self, name] : collector.paradigms)
    collector.io_paradigms.add(self) = collector.text(name);
  finish_regions(collector);
  finish_ranks(collector);
  finish_communicators(collector);
  make_families(collector.definitions);
  return std::move(collector.definitions);
}

}  // namespace hakaru::trace
