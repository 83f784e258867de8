#include "native/trace/write/archive.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "native/base/require.hpp"
#include "native/trace/reader/checksums.hpp"
#include "native/trace/reader/library_errors.hpp"
#include "native/trace/write/rank_writer.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t chunk_bytes = 1 << 20;
constexpr const char* remedy = "see that the disk has room and can be written";

void check(OTF2_ErrorCode code, const char* doing) {
  base::require_environment(code == OTF2_SUCCESS,
                            fmt::format("the archive cannot be written while {}", doing),
                            OTF2_Error_GetDescription(code), remedy);
}

fs::path target_of(const std::string& wanted) {
  const fs::path target = fs::absolute(wanted).lexically_normal();
  return target.filename().empty() ? target.parent_path() : target;
}

// Beside its place until it is whole; removed whatever happens.
class Folder {
 public:
  explicit Folder(const std::string& wanted) : target_(target_of(wanted)) {
    path_ = target_.string() + fmt::format(".unfinished-{}", getpid());
    fs::remove_all(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }
  std::uint64_t put_in_place() {
    std::uint64_t bytes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file()) bytes += entry.file_size();
    fs::remove_all(target_);
    fs::rename(path_, target_);
    return bytes;
  }

 private:
  fs::path target_, path_;
};

class Archive {
 public:
  explicit Archive(const std::string& folder) {
    archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk_bytes,
                                 chunk_bytes, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    base::require_environment(archive_ != nullptr, "the archive cannot be made", folder,
                              "give a folder that can be written");
    static const OTF2_FlushCallbacks flush = {[](void*, OTF2_FileType, OTF2_LocationRef, void*,
                                                 bool) -> OTF2_FlushType { return OTF2_FLUSH; },
                                              nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr), "opening it");
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "opening it");
    OTF2_Archive_SetCreator(archive_, "hakaru replay");
    check(OTF2_Archive_SetBoolProperty(archive_, property::checksums, true, true),
          "setting its properties");
    check(OTF2_Archive_OpenEvtFiles(archive_), "opening event files");
  }
  ~Archive() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  OTF2_EvtWriter* open(std::uint64_t location) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location);
    base::require_environment(writer != nullptr, "the archive cannot be written",
                              fmt::format("no events of location {}", location), remedy);
    return writer;
  }
  std::uint64_t close(OTF2_EvtWriter* writer) {
    std::uint64_t events = 0;
    OTF2_EvtWriter_GetNumberOfEvents(writer, &events);
    check(OTF2_Archive_CloseEvtWriter(archive_, writer), "writing events");
    return events;
  }
  void finish(WrittenDefinitions& definitions, const std::vector<WrittenLocation>& locations,
              std::uint64_t ticks_per_second, std::uint64_t last_tick) {
    check(OTF2_Archive_CloseEvtFiles(archive_), "closing event files");
    check(OTF2_Archive_OpenDefFiles(archive_), "opening definitions");
    for (const WrittenLocation& location : locations) {
      OTF2_DefWriter* local = OTF2_Archive_GetDefWriter(archive_, location.reference);
      check(OTF2_Archive_CloseDefWriter(archive_, local), "writing definitions");
    }
    check(OTF2_Archive_CloseDefFiles(archive_), "closing definitions");
    OTF2_GlobalDefWriter* out = OTF2_Archive_GetGlobalDefWriter(archive_);
    base::require_environment(out != nullptr, "the archive cannot be written", "no definitions",
                              remedy);
    definitions.write(out, locations, ticks_per_second, last_tick);
    OTF2_Archive* const archive = std::exchange(archive_, nullptr);
    check(OTF2_Archive_Close(archive), "closing it");
  }

 private:
  OTF2_Archive* archive_ = nullptr;
};

// Numbers the threads of a rank from 1 on, in the order in which they begin.
std::map<std::uint32_t, std::uint32_t> threads_of(const std::vector<DoneOperation>& done) {
  std::map<std::uint32_t, std::uint32_t> threads;
  for (const DoneOperation& one : done)
    if (one.thread != 0)
      threads.try_emplace(one.thread, static_cast<std::uint32_t>(threads.size() + 1));
  return threads;
}

struct Writing {
  const schedule::Schedule& schedule;
  Archive& archive;
  WrittenDefinitions& definitions;
  double ticks_per_second;
  std::vector<WrittenLocation> locations;
  std::uint64_t next_location, last_tick = 0;

  void rank(std::int32_t rank, std::vector<DoneOperation> done, double end_s) {
    const std::map<std::uint32_t, std::uint32_t> threads = threads_of(done);
    if (!threads.empty())
      std::stable_sort(done.begin(), done.end(),
                       [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; });
    std::vector<OTF2_EvtWriter*> writers{archive.open(static_cast<std::uint64_t>(rank))};
    std::vector<std::uint64_t> references{static_cast<std::uint64_t>(rank)};
    for (std::size_t i = 0; i < threads.size(); ++i) {
      references.push_back(next_location++);
      writers.push_back(archive.open(references.back()));
    }
    RankWriter writer(schedule, definitions, rank, ticks_per_second);
    writer.begin(writers[0], definitions.string(schedule.program));
    for (const DoneOperation& one : done)
      writer.write(one, writers[one.thread == 0 ? 0 : threads.at(one.thread)]);
    writer.finish(writers[0], end_s);
    last_tick = std::max(last_tick, writer.last_tick());
    for (std::size_t i = 0; i < writers.size(); ++i)
      locations.push_back(
          {references[i], archive.close(writers[i]), rank, static_cast<std::uint32_t>(i)});
  }
};

}  // namespace

void require_archive_place(const std::string& folder) {
  const fs::path target = target_of(folder);
  std::error_code error;
  const bool ours = !fs::exists(target, error) ||
                    (fs::is_directory(target, error) &&
                     (fs::is_empty(target, error) || fs::exists(target / "traces.otf2", error)));
  base::require(ours, "the archive cannot be made", target.string() + " exists and is no archive",
                "give another folder");
  fs::create_directories(target.parent_path(), error);
  base::require_environment(
      !error && access(target.parent_path().c_str(), W_OK) == 0, "the archive cannot be made",
      target.parent_path().string() + " cannot be written", "give a folder that can be written");
}

WrittenArchive write_archive(const schedule::Schedule& schedule,
                             const std::vector<std::vector<DoneOperation>>& done,
                             const std::vector<double>& end_s, const std::string& path) {
  const LibraryErrors errors;
  require_archive_place(path);
  Folder folder(path);
  const double longest = end_s.empty() ? 0.0 : *std::max_element(end_s.begin(), end_s.end());
  const std::uint64_t ticks = longest < 1e6 ? 1'000'000'000'000 : 1'000'000'000;
  try {
    WrittenDefinitions definitions(schedule);
    Archive archive(folder.path().string());
    Writing writing{schedule,    archive,
                    definitions, static_cast<double>(ticks),
                    {},          static_cast<std::uint64_t>(schedule.ranks)};
    for (std::size_t rank = 0; rank < done.size(); ++rank)
      writing.rank(static_cast<std::int32_t>(rank), done[rank], end_s[rank]);
    archive.finish(definitions, writing.locations, ticks, writing.last_tick);
    write_checksums(folder.path().string());
    WrittenArchive written;
    for (const WrittenLocation& location : writing.locations) written.events += location.events;
    written.bytes = folder.put_in_place();
    return written;
  } catch (const fs::filesystem_error& error) {
    throw base::UserError(base::ExitCode::environment,
                          base::explain("the archive cannot be written", error.what(), remedy));
  }
}

}  // namespace hakaru::trace
