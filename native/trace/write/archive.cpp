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
#include "native/trace/reader/new_archive.hpp"
#include "native/trace/write/rank_writer.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;

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
  NewArchive& archive;
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
    NewArchive archive(folder.path().string(), "hakaru replay");
    Writing writing{schedule,    archive,
                    definitions, static_cast<double>(ticks),
                    {},          static_cast<std::uint64_t>(schedule.ranks)};
    for (std::size_t rank = 0; rank < done.size(); ++rank)
      writing.rank(static_cast<std::int32_t>(rank), done[rank], end_s[rank]);
    std::vector<std::uint64_t> references;
    for (const WrittenLocation& location : writing.locations)
      references.push_back(location.reference);
    definitions.write(archive.end_events(references), writing.locations, ticks, writing.last_tick);
    archive.finish();
    write_checksums(folder.path().string());
    WrittenArchive written;
    for (const WrittenLocation& location : writing.locations) written.events += location.events;
    written.bytes = folder.put_in_place();
    return written;
  } catch (const fs::filesystem_error& error) {
    throw base::UserError(
        base::ExitCode::environment,
        base::explain("the archive cannot be written", error.what(), archive_remedy));
  }
}

}  // namespace hakaru::trace
