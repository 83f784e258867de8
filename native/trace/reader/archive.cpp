#include "native/trace/reader/archive.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "native/base/require.hpp"
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

void read_ranks(OTF2_Reader* reader, Shared& shared, const RankDone& done) {
  Definitions& definitions = shared.definitions;
  const auto drop = [](OTF2_EvtReaderCallbacks* callbacks) {
    OTF2_EvtReaderCallbacks_Delete(callbacks);
  };
  const std::unique_ptr<OTF2_EvtReaderCallbacks, decltype(drop)> of_ranks(rank_callbacks(), drop),
      of_threads(thread_callbacks(), drop);
  for (std::int32_t rank = 0; rank < definitions.ranks(); ++rank) {
    const Location& location =
        definitions.locations[definitions.location_of_rank[static_cast<std::size_t>(rank)]];
    RankBuilder builder(shared, rank);
    EventContext context{&definitions, &builder, false, nullptr};
    if (location.events > 0) read_location(reader, location, of_ranks.get(), context);
    builder.finish();
    done(rank, builder.stream(), builder.times(), builder.result());
    shared.spare_stream = std::move(builder.stream());
    shared.spare_times = std::move(builder.times());
  }
  for (const Location& location : definitions.locations) {
    if (location.rank >= 0 || !relevant(location)) continue;
    EventContext context{&definitions, nullptr, false, nullptr};
    read_location(reader, location, of_threads.get(), context);
    base::require(!context.mpi_seen, "the trace cannot be turned into a schedule",
                  "several threads of a rank call MPI, and their order is not known",
                  "trace the program with one thread calling MPI");
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
                            const std::function<void(std::int32_t)>& begin, const RankDone& done) {
  const LibraryErrors errors;
  try {
    const Reader reader = open(anchor);
    bool promised = false;
    OTF2_Reader_GetBoolProperty(reader.get(), "HAKARU::CHECKSUMS", &promised);
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
    begin(definitions.ranks());
    read_local_definitions(reader.get(), definitions.locations);
    const OTF2_ErrorCode opened = OTF2_Reader_OpenEvtFiles(reader.get());
    base::require(opened == OTF2_SUCCESS, "the events cannot be opened",
                  OTF2_Error_GetDescription(opened), "copy the archive again");
    Shared shared(definitions, options);
    read_ranks(reader.get(), shared, done);
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
    summary.ranks = definitions.ranks();
    char* crowded = nullptr;
    if (OTF2_Reader_GetProperty(reader.get(), "HAKARU::OVERSUBSCRIBED", &crowded) == OTF2_SUCCESS)
      summary.warnings.push_back(text_and_free(crowded));
    return summary;
  } catch (const base::UserError& error) {
    if (errors.last.empty()) throw;
    throw base::UserError(error.code(), std::string(error.what()) + " [OTF2: " + errors.last + "]");
  }
}

}  // namespace hakaru::trace
