#include "native/trace/convert/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>

#include "native/base/require.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;

template <typename Type>
const Type& meta_as(const RawFile& file, const RawRecord& record) {
  if (record.words * 8 < sizeof(Type)) file.damaged("a definition is too short");
  return record.as<Type>();
}

std::string string_in(const RawFile& file, const RawRecord& record) {
  const auto& text = meta_as<hakaru_raw_string>(file, record);
  if (text.length >= record.words * 8 - sizeof text)
    file.damaged("a string is longer than its record");
  return {reinterpret_cast<const char*>(&text + 1), text.length};
}

struct Lists {
  std::vector<std::int32_t> members, remote, sources, destinations;
};

Lists lists_of(const RawFile& file, const RawRecord& record, const hakaru_raw_communicator& c) {
  const std::int32_t ranks = file.header().world_size;
  const std::uint64_t most = record.words * 2ull;
  const bool joins = c.kind >= HAKARU_COMMUNICATOR_OUTSIDE;  // worlds
  if (c.size < 1 || c.size > (joins ? schedule::most_ranks : ranks) || c.own_rank < 0 ||
      c.own_rank >= c.size || c.remote_size < 0 || c.sources > most || c.destinations > most) {
    file.damaged(fmt::format("communicator {} has {} ranks", c.id, c.size));
  }
  Lists lists;
  const auto* position = reinterpret_cast<const std::int32_t*>(&c + 1);
  const auto* const end = reinterpret_cast<const std::int32_t*>(record.data + record.words);
  const auto take = [&](std::vector<std::int32_t>& list, std::uint64_t count) {
    if (count > static_cast<std::uint64_t>(end - position))
      file.damaged(fmt::format("communicator {} is cut", c.id));
    list.assign(position, position + count);
    position += count;
  };
  if (c.members == HAKARU_MEMBERS_RANGE) {
    for (std::int64_t i = 0; i < c.size; ++i)
      lists.members.push_back(static_cast<std::int32_t>(c.first + i * c.stride));
  } else if (c.members == HAKARU_MEMBERS_LIST) {
    take(lists.members, static_cast<std::uint64_t>(c.size));
  }
  if (c.remote_members == HAKARU_MEMBERS_LIST)
    take(lists.remote, static_cast<std::uint64_t>(c.remote_size));
  take(lists.sources, c.sources);
  take(lists.destinations, c.destinations);
  if (c.kind != HAKARU_COMMUNICATOR_OUTSIDE) {
    for (const auto* list : {&lists.members, &lists.remote}) {
      for (const std::int32_t rank : *list) {
        if (rank < 0 || rank >= ranks)
          file.damaged(fmt::format("communicator {} has rank {}", c.id, rank));
      }
    }
  }
  return lists;
}

void shift(std::vector<std::int32_t>& ranks, std::int32_t by) {
  for (std::int32_t& rank : ranks) rank += by;
}

// Nobody lists the members of one that joins worlds.
void add_joined(WorldCommunicator& known, const hakaru_raw_communicator& c, std::int32_t rank) {
  const bool inter = c.kind == HAKARU_COMMUNICATOR_JOINED_INTER;
  const bool spawned = inter && c.first == 1;
  (spawned ? known.known_remote : known.known)[c.own_rank] = rank;
  known.size = spawned ? c.remote_size : c.size;
  known.remote_size = spawned ? c.size : c.remote_size;
}

void add_communicator(World& world, const RawFile& file, const RawRecord& record,
                      const std::unordered_map<std::uint32_t, std::uint32_t>& local) {
  const auto& c = meta_as<hakaru_raw_communicator>(file, record);
  if (c.kind == HAKARU_COMMUNICATOR_SELF || c.kind == HAKARU_COMMUNICATOR_WORLD) return;
  Lists lists = lists_of(file, record, c);
  const std::int32_t first = world.parts.at(file.header().world_id).first;
  shift(lists.members, first);
  shift(lists.remote, first);
  const auto [place, fresh] = world.communicator_of_global.try_emplace(
      c.global_id, static_cast<std::uint32_t>(world.communicators.size()));
  if (fresh) world.communicators.emplace_back();
  WorldCommunicator& known = world.communicators[place->second];
  if (fresh) {
    known.kind = c.kind;
    known.size = c.size;
    const auto parent = c.parent == 0 ? local.end() : local.find(c.parent - 1);
    known.parent = parent == local.end() ? OTF2_UNDEFINED_COMM : parent->second;
  }
  if (c.kind == HAKARU_COMMUNICATOR_JOINED_INTER || c.kind == HAKARU_COMMUNICATOR_JOINED_INTRA)
    return add_joined(known, c, first + file.header().rank);
  if (c.kind == HAKARU_COMMUNICATOR_INTER) {
    if (lists.members.empty() || lists.remote.empty() || !known.members.empty()) return;
    // Both sides describe it: the side with the lowest world rank is A.
    const bool first = *std::min_element(lists.members.begin(), lists.members.end()) <
                       *std::min_element(lists.remote.begin(), lists.remote.end());
    known.members = first ? lists.members : lists.remote;
    known.remote = first ? lists.remote : lists.members;
    return;
  }
  known.known[c.own_rank] = first + file.header().rank;
  if (known.members.empty()) known.members = lists.members;
}

void add_file(World& world, const RawFile& file) {
  const std::uint32_t own_world = world.parts.at(file.header().world_id).communicator;
  std::unordered_map<std::uint32_t, std::uint32_t> local{{0, own_world}, {1, 1}};
  std::unordered_map<std::uint32_t, std::string> strings;
  file.each([&](const RawRecord& record) {
    if (!record.meta()) return;
    switch (record.kind()) {
      case HAKARU_META_STRING:
        strings[meta_as<hakaru_raw_string>(file, record).id] = string_in(file, record);
        break;
      case HAKARU_META_COMMUNICATOR: {
        const auto& c = meta_as<hakaru_raw_communicator>(file, record);
        add_communicator(world, file, record, local);
        if (c.kind != HAKARU_COMMUNICATOR_WORLD && c.kind != HAKARU_COMMUNICATOR_SELF)
          local[c.id] = world.communicator_of_global.at(c.global_id);
        break;
      }
      case HAKARU_META_COMMUNICATOR_NAME: {
        struct Name {
          hakaru_raw_meta_head head;
          std::uint32_t id, string;
        };
        const auto& name = meta_as<Name>(file, record);
        if (local.count(name.id)) world.communicators[local[name.id]].name = strings[name.string];
        break;
      }
      case HAKARU_META_WINDOW: {
        const auto& w = meta_as<hakaru_raw_window>(file, record);
        if (!local.count(w.communicator)) file.damaged("a window of an unknown communicator");
        const auto [place, fresh] = world.window_of_global.try_emplace(
            w.global_id, static_cast<std::uint32_t>(world.windows.size()));
        if (fresh) world.windows.push_back({local[w.communicator], w.kind});
        break;
      }
      case HAKARU_META_FILE: {
        const auto& f = meta_as<hakaru_raw_file_definition>(file, record);
        if (!local.count(f.communicator)) file.damaged("a file of an unknown communicator");
        const auto [place, fresh] = world.file_of_global.try_emplace(
            f.global_id, static_cast<std::uint32_t>(world.files.size()));
        if (fresh) world.files.push_back({strings[f.name], local[f.communicator], f.mode});
        break;
      }
      default:
        break;
    }
  });
  for (const hakaru_raw_call& call : file.calls()) {
    const auto [place, fresh] = world.region_of_name.try_emplace(
        text_of(call.name), static_cast<std::uint32_t>(world.regions.size()));
    if (fresh) {
      world.regions.push_back(call);
      world.region_names.push_back(place->first);
    }
  }
}

// False: a rank of it has no file.
bool take_known(const std::map<std::int32_t, std::int32_t>& known, std::int32_t size,
                std::vector<std::int32_t>& members) {
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const auto found = known.find(rank);
    if (found == known.end()) return false;
    members.push_back(found->second);
  }
  return true;
}

// One that joins worlds of which not all were traced is to another world.
void complete_joined(WorldCommunicator& c) {
  const bool inter = c.kind == HAKARU_COMMUNICATOR_JOINED_INTER;
  const bool whole = take_known(c.known, c.size, c.members) &&
                     (!inter || take_known(c.known_remote, c.remote_size, c.remote));
  c.kind = !whole  ? HAKARU_COMMUNICATOR_OUTSIDE
           : inter ? HAKARU_COMMUNICATOR_INTER
                   : HAKARU_COMMUNICATOR_INTRA;
}

void complete_members(World& world) {
  for (std::size_t i = 2; i < world.communicators.size(); ++i) {
    WorldCommunicator& c = world.communicators[i];
    if (c.kind == HAKARU_COMMUNICATOR_JOINED_INTER || c.kind == HAKARU_COMMUNICATOR_JOINED_INTRA)
      complete_joined(c);
    if (c.kind == HAKARU_COMMUNICATOR_OUTSIDE || !c.members.empty()) continue;
    base::require(take_known(c.known, c.size, c.members), "the raw traces do not belong together",
                  fmt::format("who a rank of a communicator of {} is stands in no file", c.size),
                  "trace the program again");
    c.known.clear();
  }
}

// Ticks become ns by the longest span of two readings on the same kernel, so that ranks which read
// one counter keep their order.
void set_clocks(World& world, const std::vector<hakaru_raw_header>& headers) {
  std::map<std::string, const hakaru_raw_header*> best;
  const auto clock_of = [](const hakaru_raw_header& h) {
    return text_of(h.boot_id) + (h.clock == HAKARU_RAW_CLOCK_TSC ? " tsc" : " monotonic");
  };
  const auto span = [](const hakaru_raw_header& h) {
    return h.last.ticks > h.start.ticks ? h.last.ticks - h.start.ticks : 0;
  };
  for (const hakaru_raw_header& h : headers) {
    const hakaru_raw_header*& longest = best[clock_of(h)];
    if (longest == nullptr || span(h) > span(*longest)) longest = &h;
  }
  // A spawned world knows offsets to its own rank 0 only: where one of its hosts is also a host of
  // the first world, the clock is that one's.
  std::map<std::string, const hakaru_raw_header*> first_world;
  for (const hakaru_raw_header& h : headers)
    if (h.world_id == 0) first_world.try_emplace(text_of(h.boot_id), &h);
  std::size_t rank = 0;
  for (const hakaru_raw_header& h : headers) {
    const std::size_t number = rank++;
    const hakaru_raw_header& reading = *best[clock_of(h)];
    const auto host = first_world.find(text_of(h.boot_id));
    const bool shared = h.world_id != 0 && host != first_world.end();
    Clock clock;
    clock.start_ticks = reading.start.ticks;
    clock.start_ns = reading.start.monotonic_ns;
    if (h.clock == HAKARU_RAW_CLOCK_TSC) {
      base::require(span(reading) > 0 && reading.last.monotonic_ns > reading.start.monotonic_ns,
                    "the time of the trace is unknown",
                    fmt::format("rank {} ended before its clock was read twice", h.rank),
                    "trace a longer run");
      clock.ns_per_tick =
          static_cast<double>(reading.last.monotonic_ns - reading.start.monotonic_ns) /
          static_cast<double>(span(reading));
    }
    const hakaru_raw_header& told = shared ? *host->second : h;
    const hakaru_raw_synchronisation &a = told.synchronisation[0], &b = told.synchronisation[1];
    if (a.valid == 1) {
      clock.offset_ns = static_cast<double>(a.offset_ns);
      if (b.valid == 1 && b.monotonic_ns > a.monotonic_ns) {
        clock.drift = static_cast<double>(b.offset_ns - a.offset_ns) /
                      static_cast<double>(b.monotonic_ns - a.monotonic_ns);
        clock.offset_ns -= clock.drift * (static_cast<double>(a.monotonic_ns) -
                                          static_cast<double>(clock.start_ns));
      }
    } else if ((h.world_id != 0 && !shared) || (a.valid == 0 && told.rank != 0)) {
      world.warnings.push_back(
          fmt::format("the clock of rank {} was not compared with rank 0's", number));
    }
    world.clocks.push_back(clock);
  }
}

// Ranks of one kernel against the processors that they might run on.
std::string oversubscribed(const std::vector<hakaru_raw_header>& headers) {
  struct Host {
    std::string name;
    std::size_t ranks = 0;
    std::array<std::uint64_t, std::size(hakaru_raw_header{}.allowed)> allowed{};
    bool known = true;
  };
  std::map<std::string, Host> hosts;
  for (const hakaru_raw_header& h : headers) {
    Host& host = hosts[text_of(h.boot_id)];
    host.name = text_of(h.host);
    ++host.ranks;
    bool any = false;
    for (std::size_t i = 0; i < host.allowed.size(); ++i) {
      host.allowed[i] |= h.allowed[i];
      any = any || h.allowed[i] != 0;
    }
    host.known = host.known && any;
  }
  for (const auto& [kernel, host] : hosts) {
    std::size_t processors = 0;
    for (const std::uint64_t word : host.allowed)
      processors += static_cast<std::size_t>(std::popcount(word));
    if (host.known && host.ranks > processors)
      return fmt::format(
          "oversubscribed: {} ranks on {} had {} processor{}, so that computing and waiting are "
          "not what they are with a core each",
          host.ranks, host.name, processors, processors == 1 ? "" : "s");
  }
  return "";
}

// The files of the first world in the order of their names, which is that of ranks.
std::vector<RawFile> launched_files(const std::string& folder, World& world) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("rank-") && name.ends_with(".hkr")) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  base::require(!paths.empty(), "there is no raw trace", folder + " holds no file rank-*.hkr",
                "give the folder that the tracer wrote");
  std::vector<RawFile> files;
  for (const std::string& path : paths) {
    RawFile file(path);
    const hakaru_raw_header& h = file.header();
    if (files.empty()) world.ranks = h.world_size;
    if (h.world_size != world.ranks)
      file.damaged(fmt::format("it is of {} ranks, others of {}", h.world_size, world.ranks));
    if (h.rank != static_cast<std::int32_t>(files.size()))
      file.damaged(fmt::format("rank {} stands where rank {} should", h.rank, files.size()));
    if (h.world_id != 0) file.damaged("it is of a spawned world");
    files.push_back(std::move(file));
  }
  base::require(static_cast<std::int32_t>(files.size()) == world.ranks, "raw traces are missing",
                fmt::format("{} of {} ranks are in {}", files.size(), world.ranks, folder),
                "copy all files rank-*.hkr");
  world.parts[0] = {0, world.ranks, 0};
  return files;
}

using SpawnedFiles = std::map<std::int32_t, RawFile>;  // by rank of their world

std::map<std::uint64_t, SpawnedFiles> spawned_files(const std::string& folder, World& world) {
  std::map<std::uint64_t, SpawnedFiles> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("spawned-") || !name.ends_with(".hkr")) continue;
    RawFile file(entry.path().string());
    const std::uint64_t world_id = file.header().world_id;
    const std::int32_t rank = file.header().rank;
    if (world_id == 0)
      world.warnings.push_back(name + " is of another world and left out");
    else if (!found[world_id].emplace(rank, std::move(file)).second)
      world.warnings.push_back(name + " is a rank that another file is, and left out");
  }
  return found;
}

// Appends the files of spawned worlds that are whole; the others are named.
void add_spawned(const std::string& folder, World& world, std::vector<RawFile>& files) {
  std::map<std::uint64_t, SpawnedFiles> found = spawned_files(folder, world);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order;  // start, world
  for (const auto& [world_id, some] : found) {
    const hakaru_raw_header& first = some.begin()->second.header();
    const auto ranks = static_cast<std::int32_t>(some.size());
    if (first.rank == 0 && some.rbegin()->first == ranks - 1 && first.world_size == ranks)
      order.emplace_back(first.start_realtime_ns, world_id);
    else
      world.warnings.push_back(fmt::format("a spawned world is left out: {} of {} ranks are there",
                                           ranks, first.world_size));
  }
  std::sort(order.begin(), order.end());
  for (const auto& [start, world_id] : order) {
    WorldPart& part = world.parts[world_id];
    part = {world.ranks, static_cast<std::int32_t>(found[world_id].size()),
            static_cast<std::uint32_t>(world.communicators.size())};
    WorldCommunicator& all = world.communicators.emplace_back();
    all.name = "MPI_COMM_WORLD";
    for (auto& [rank, file] : found[world_id]) {
      all.members.push_back(world.ranks++);
      files.push_back(std::move(file));
    }
  }
  if (order.empty()) return;
  for (std::int32_t rank = 0; rank < world.parts[0].ranks; ++rank)
    world.communicators[0].members.push_back(rank);
}

}  // namespace

World read_world(const std::string& folder) {
  base::require(fs::is_directory(folder), "there is no raw trace", folder + " is no folder",
                "give the folder that the tracer wrote");
  World world;
  world.communicators.resize(2);
  world.communicators[0].kind = HAKARU_COMMUNICATOR_WORLD;
  world.communicators[1].kind = HAKARU_COMMUNICATOR_SELF;
  std::vector<RawFile> files = launched_files(folder, world);
  add_spawned(folder, world, files);
  std::vector<hakaru_raw_header> headers;
  for (const RawFile& file : files) {
    headers.push_back(file.header());
    world.paths.push_back(file.path());
    world.hosts.push_back(text_of(file.header().host));
    add_file(world, file);
  }
  world.program = text_of(headers[0].program);
  world.mpi_library = text_of(headers[0].mpi_library);
  world.realtime_ns = headers[0].start_realtime_ns;
  complete_members(world);
  set_clocks(world, headers);
  world.oversubscribed = oversubscribed(headers);
  world.start_ns = ~0ull;
  for (std::size_t rank = 0; rank < headers.size(); ++rank)
    world.start_ns = std::min(world.start_ns, world.clocks[rank].at(headers[rank].start.ticks));
  return world;
}

RankNumbers numbers_of(const World& world, const RawFile& file) {
  RankNumbers numbers;
  const WorldPart& part = world.parts.at(file.header().world_id);
  numbers.communicators = {{0, part.communicator}, {1, 1}};
  numbers.rank = part.first + file.header().rank;
  for (const hakaru_raw_call& call : file.calls())
    numbers.regions.push_back(world.region_of_name.at(text_of(call.name)));
  file.each([&](const RawRecord& record) {
    if (!record.meta()) return;
    switch (record.kind()) {
      case HAKARU_META_STRING:
        numbers.strings[meta_as<hakaru_raw_string>(file, record).id] = string_in(file, record);
        break;
      case HAKARU_META_COMMUNICATOR: {
        const auto& c = meta_as<hakaru_raw_communicator>(file, record);
        const Lists lists = lists_of(file, record, c);
        const bool common =
            c.kind != HAKARU_COMMUNICATOR_WORLD && c.kind != HAKARU_COMMUNICATOR_SELF;
        if (common) numbers.communicators[c.id] = world.communicator_of_global.at(c.global_id);
        numbers.topologies[c.id] = {
            lists.sources, lists.destinations, c.size,
            c.own_rank,    c.remote_size > 0,  (c.remote_members & HAKARU_RAW_GRID) != 0};
        break;
      }
      case HAKARU_META_WINDOW: {
        const auto& w = meta_as<hakaru_raw_window>(file, record);
        numbers.windows[w.id] = world.window_of_global.at(w.global_id);
        break;
      }
      case HAKARU_META_FILE: {
        const auto& f = meta_as<hakaru_raw_file_definition>(file, record);
        numbers.files[f.id] = world.file_of_global.at(f.global_id);
        break;
      }
      default:
        break;
    }
  });
  return numbers;
}

}  // namespace hakaru::trace
