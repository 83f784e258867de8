#include "native/trace/reader/new_archive.hpp"

#include <fmt/format.h>

#include <utility>

#include "native/base/require.hpp"
#include "native/trace/own_names.hpp"

namespace hakaru::trace {
namespace {

constexpr std::uint64_t chunk_bytes = 1 << 20;

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
constexpr OTF2_FlushCallbacks flush = {flush_always, nullptr};

}  // namespace

void require_written(OTF2_ErrorCode code, const char* doing) {
  base::require_environment(code == OTF2_SUCCESS,
                            fmt::format("the archive cannot be written while {}", doing),
                            OTF2_Error_GetDescription(code), archive_remedy);
}

NewArchive::NewArchive(const std::string& folder, const char* creator)
    : archive_(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk_bytes,
                                 chunk_bytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {
  base::require_environment(archive_ != nullptr, "the archive cannot be made", folder,
                            "give a folder that can be written");
  require_written(OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr), "opening it");
  require_written(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "opening it");
  OTF2_Archive_SetCreator(archive_, creator);
  require_written(OTF2_Archive_SetBoolProperty(archive_, property::checksums, true, true),
                  "setting its properties");
  require_written(OTF2_Archive_OpenEvtFiles(archive_), "opening event files");
}

NewArchive::~NewArchive() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

OTF2_EvtWriter* NewArchive::open(std::uint64_t location) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location);
  base::require_environment(writer != nullptr, "the archive cannot be written",
                            fmt::format("no events of location {}", location), archive_remedy);
  return writer;
}

std::uint64_t NewArchive::close(OTF2_EvtWriter* writer) {
  std::uint64_t events = 0;
  OTF2_EvtWriter_GetNumberOfEvents(writer, &events);
  require_written(OTF2_Archive_CloseEvtWriter(archive_, writer), "writing events");
  return events;
}

OTF2_GlobalDefWriter* NewArchive::end_events(const std::vector<std::uint64_t>& locations) {
  require_written(OTF2_Archive_CloseEvtFiles(archive_), "closing event files");
  require_written(OTF2_Archive_OpenDefFiles(archive_), "opening definitions");
  for (const std::uint64_t location : locations) {
    OTF2_DefWriter* local = OTF2_Archive_GetDefWriter(archive_, location);
    require_written(OTF2_Archive_CloseDefWriter(archive_, local), "writing definitions");
  }
  require_written(OTF2_Archive_CloseDefFiles(archive_), "closing definitions");
  OTF2_GlobalDefWriter* definitions = OTF2_Archive_GetGlobalDefWriter(archive_);
  base::require_environment(definitions != nullptr, "the archive cannot be written",
                            "no definitions", archive_remedy);
  return definitions;
}

void NewArchive::finish() {
  require_written(OTF2_Archive_Close(std::exchange(archive_, nullptr)), "closing it");
}

}  // namespace hakaru::trace
