#include "native/trace/reader/archive.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <unordered_map>

#include "native/base/require.hpp"
#include "native/trace/own_names.hpp"
#include "native/trace/reader/checksums.hpp"
#include "native/trace/reader/events.hpp"
#include "native/trace/reader/library_errors.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using Reader = std::unique_ptr<OTF2_Reader, CloseReader>;

std::string text_and_free(char* text) {
  const std::string copy = text ? text : "";
  std::free(text);
  return copy;
}

Reader open(const std::string& anchor) {
  Reader reader(OTF2_Reader_Open(anchor.c_str()));
  base::require(reader != nullptr, "the archive cannot be opened",
                anchor + " is damaged or no OTF2 anchor file", "give the .otf2 file of an archive");
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  return reader;
}

void check_size(const std::string& anchor, const Definitions& definitions) {
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::path(anchor).parent_path())) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  std::uint64_t events = 0;
  for (const Location& location : definitions.locations) {
    base::require(location.events <= bytes, "the archive cannot be whole",
                  fmt::format("location {} should have {} events in {} bytes", location.reference,
                              location.events, bytes),
                  "copy the archive again");
    events += location.events;
  }
}

void read_local_definitions(OTF2_Reader* reader, const std::vector<Location>& locations) {
  if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS) return;
  for (const Location& location : locations) {
    OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location.reference);
    if (local == nullptr) continue;
    std::uint64_t read = 0;
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
    base::require(code == OTF2_SUCCESS,
                  fmt::format("the definitions of location {} cannot be read", location.reference),
                  OTF2_Error_GetDescription(code),
                  "copy the archive again, or trace the program again");
    OTF2_Reader_CloseDefReader(reader, local);
  }
  OTF2_Reader_CloseDefFiles(reader);
}

bool relevant(const Location& location) {
  return location.events > 0 && (location.rank >= 0 || location.thread);
}

using Callbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, void (*)(OTF2_EvtReaderCallbacks*)>;

Callbacks owned(OTF2_EvtReaderCallbacks* callbacks) {
  return {callbacks, [](OTF2_EvtReaderCallbacks* c) { OTF2_EvtReaderCallbacks_Delete(c); }};
}

struct Thread {
  const Location* location;
  ThreadScan scan;
};

ThreadScan scan_location(OTF2_Reader* reader, Definitions& definitions, const Location& location,
                         std::uint32_t thread, const OTF2_EvtReaderCallbacks* callbacks) {
  ThreadScan scan;
  if (location.events == 0) return scan;
  scan.thread = thread;
  EventContext context{&definitions, nullptr, &scan, nullptr};
  read_location(reader, location, callbacks, context);
  base::require(
      !scan.backwards, fmt::format("the events of location {} cannot be true", location.reference),
      "its time goes back", "trace the program again, or give an archive that otf2-print can read");
  return scan;
}

// Threads beside a rank's own location that call MPI.
std::map<std::int32_t, std::vector<Thread>> find_threads(OTF2_Reader* reader,
                                                         Definitions& definitions,
                                                         const OTF2_EvtReaderCallbacks* callbacks) {
  std::unordered_map<std::uint32_t, std::int32_t> rank_of_process;
  for (const std::size_t index : definitions.location_of_rank)
    rank_of_process[definitions.locations[index].process] = definitions.locations[index].rank;
  std::map<std::int32_t, std::vector<Thread>> threads;
  for (const Location& location : definitions.locations) {
    if (location.rank >= 0 || !relevant(location)) continue;
    const auto rank = rank_of_process.find(location.process);
    ThreadScan scan = scan_location(reader, definitions, location, 1, callbacks);
    if (scan.units.empty()) continue;
    base::require(rank != rank_of_process.end(), "the trace cannot be turned into a schedule",
                  fmt::format("location {} calls MPI and is of no rank", location.reference),
                  "trace the program again, or give an archive that otf2-print can read");
    std::vector<Thread>& of_rank = threads[rank->second];
    for (ThreadUnit& unit : scan.units)
      unit.thread = static_cast<std::uint32_t>(of_rank.size() + 1);
    of_rank.push_back({&location, std::move(scan)});
  }
  return threads;
}

// Reads the units of a rank's threads in their order into its builder.
class MergedReader {
 public:
  MergedReader(OTF2_Reader* reader, EventContext& context, const OTF2_EvtReaderCallbacks* callbacks)
      : reader_(reader), context_(context), builder_(*context.builder), callbacks_(callbacks) {
    builder_.read_merged();
  }

  void add(const Location& location, ThreadScan scan) {
    pieces_.push_back(location.events > 0 ? std::make_unique<PieceReader>(reader_, location)
                                          : nullptr);
    if (scan.open != nullptr) {
      cut_ = scan.open;
      scan.units.pop_back();
    }
    units_.insert(units_.end(), scan.units.begin(), scan.units.end());
    if (pieces_.size() > 1) builder_.add_events(location.events);
  }

  void read(std::uint64_t gap, std::uint64_t events_of_rank) {
    std::size_t at = 0;
    for (const ThreadSection& section : find_sections(units_, gap)) {
      for (; at < section.first; ++at) feed(units_[at], 0);
      if (!section.threads.empty()) builder_.fork(section.begin_time, section.threads.size() - 1);
      for (; at < section.end; ++at) feed(units_[at], lane_of(units_[at], section));
      if (!section.threads.empty()) builder_.join(section.end_time);
    }
    for (; at < units_.size(); ++at) feed(units_[at], 0);
    if (cut_ != nullptr) return builder_.cut_inside(*cut_);
    if (pieces_[0] != nullptr) pieces_[0]->read_to(events_of_rank, callbacks_, context_);
  }

 private:
  void feed(const ThreadUnit& unit, std::size_t lane) {
    PieceReader& piece = *pieces_[unit.thread];
    if (unit.thread > 0) piece.read_to(unit.first - 1, nullptr, context_);
    builder_.use_lane(lane);
    piece.read_to(unit.last, callbacks_, context_);
  }

  // The rank's own stream goes on with the thread of its location, or with the lowest.
  static std::size_t lane_of(const ThreadUnit& unit, const ThreadSection& section) {
    if (section.threads.empty() || !unit.call) return 0;
    const auto place =
        std::lower_bound(section.threads.begin(), section.threads.end(), unit.thread);
    return static_cast<std::size_t>(place - section.threads.begin());
  }

  OTF2_Reader* reader_;
  EventContext& context_;
  RankBuilder& builder_;
  const OTF2_EvtReaderCallbacks* callbacks_;
  std::vector<std::unique_ptr<PieceReader>> pieces_;
  std::vector<ThreadUnit> units_;
  const Region* cut_ = nullptr;
};

void read_ranks(OTF2_Reader* reader, Shared& shared, const Begin& begin, const RankDone& done) {
  Definitions& definitions = shared.definitions;
  const Callbacks of_ranks = owned(rank_callbacks()), of_threads = owned(thread_callbacks());
  std::map<std::int32_t, std::vector<Thread>> threads =
      find_threads(reader, definitions, of_threads.get());
  shared.next_stream = definitions.ranks();
  const Part part = begin(definitions, threads.empty());
  for (std::int32_t rank = part.first; rank < part.last; ++rank) {
    const Location& location =
        definitions.locations[definitions.location_of_rank[static_cast<std::size_t>(rank)]];
    RankBuilder builder(shared, rank);
    EventContext context{&definitions, &builder, nullptr, nullptr};
    if (const auto several = threads.find(rank); several != threads.end()) {
      MergedReader merged(reader, context, of_ranks.get());
      merged.add(location, scan_location(reader, definitions, location, 0, of_threads.get()));
      for (Thread& thread : several->second) merged.add(*thread.location, std::move(thread.scan));
      merged.read(polling_gap_ticks(definitions), location.events);
      threads.erase(several);
    } else if (location.events > 0) {
      read_location(reader, location, of_ranks.get(), context);
    }
    builder.finish();
    done(rank, builder);
    shared.spare_stream = std::move(builder.stream());
    shared.spare_times = std::move(builder.times());
  }
}

}  // namespace

std::string find_anchor(const std::string& path) {
  base::require(fs::exists(path), "there is no archive", path + " does not exist",
                "give the .otf2 file of an archive, or its folder");
  if (!fs::is_directory(path)) return path;
  std::vector<std::string> anchors;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".otf2") anchors.push_back(entry.path().string());
  }
  base::require(anchors.size() == 1, "there is no archive",
                fmt::format("{} holds {} files .otf2", path, anchors.size()),
                "give the .otf2 file of an archive");
  return anchors[0];
}

ArchiveSummary read_archive(const std::string& anchor, const ReadOptions& options,
                            const Begin& begin, const RankDone& done) {
  const LibraryErrors errors;
  try {
    const Reader reader = open(anchor);
    bool promised = false;
    OTF2_Reader_GetBoolProperty(reader.get(), property::checksums, &promised);
    const std::string folder = fs::path(anchor).parent_path().string();
    verify_checksums(folder.empty() ? "." : folder, promised);
    std::uint64_t location_count = 0;
    OTF2_Reader_GetNumberOfLocations(reader.get(), &location_count);
    Definitions definitions = read_definitions(reader.get(), options);
    base::require(location_count == definitions.locations.size(),
                  "the definitions of the archive contradict each other",
                  fmt::format("{} locations are announced, {} defined", location_count,
                              definitions.locations.size()),
                  "trace the program again, or give an archive that otf2-print can read");
    check_size(fs::absolute(anchor).string(), definitions);
    for (const Location& location : definitions.locations) {
      if (relevant(location)) OTF2_Reader_SelectLocation(reader.get(), location.reference);
    }
    read_local_definitions(reader.get(), definitions.locations);
    const OTF2_ErrorCode opened = OTF2_Reader_OpenEvtFiles(reader.get());
    base::require(opened == OTF2_SUCCESS, "the events cannot be opened",
                  OTF2_Error_GetDescription(opened), "copy the archive again");
    Shared shared(definitions, options);
    read_ranks(reader.get(), shared, begin, done);
    OTF2_Reader_CloseEvtFiles(reader.get());
    ArchiveSummary summary;
    char* creator = nullptr;
    OTF2_Reader_GetCreator(reader.get(), &creator);
    summary.creator = text_and_free(creator);
    summary.program = definitions.program;
    char* description = nullptr;
    if (summary.program.empty() && summary.creator == "hakaru" &&
        OTF2_Reader_GetDescription(reader.get(), &description) == OTF2_SUCCESS) {
      const std::string text = text_and_free(description);  // "program; MPI library"
      summary.program = text.substr(0, text.rfind("; "));
    }
    summary.calls = definitions.region_names;
    summary.phases = std::move(shared.phases);
    summary.communicators = std::move(definitions.families);
    summary.lists = std::move(shared.lists);
    char* crowded = nullptr;
    if (OTF2_Reader_GetProperty(reader.get(), property::oversubscribed, &crowded) == OTF2_SUCCESS)
      summary.warnings.push_back(text_and_free(crowded));
    return summary;
  } catch (const base::UserError& error) {
    if (errors.last.empty()) throw;
    throw base::UserError(error.code(), std::string(error.what()) + " [OTF2: " + errors.last + "]");
  }
}

}  // namespace hakaru::trace
