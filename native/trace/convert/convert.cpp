#include "native/trace/convert/convert.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "native/base/require.hpp"
#include "native/trace/convert/archive_writer.hpp"
#include "native/trace/convert/rank_events.hpp"
#include "native/trace/reader/checksums.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;

// Nobody else's folder is replaced.
void check_target(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  const bool ours =
      fs::is_directory(folder) && (fs::is_empty(folder) || fs::exists(folder / "traces.otf2"));
  base::require(ours, "the archive cannot be made", folder.string() + " exists and is no archive",
                "give another folder");
}

// Removes the unfinished archive whatever happens.
struct Unfinished {
  explicit Unfinished(fs::path path) : folder(std::move(path)) { fs::remove_all(folder); }
  ~Unfinished() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  fs::path folder;
};

fs::path target_of(const std::string& archive_folder) {
  const fs::path target = fs::absolute(archive_folder).lexically_normal();
  return target.filename().empty() ? target.parent_path() : target;
}

}  // namespace

std::string unfinished_folder(const std::string& archive_folder, std::int64_t process) {
  return target_of(archive_folder).string() + fmt::format(".unfinished-{}", process);
}

Conversion convert(const std::string& raw_folder, const std::string& archive_folder,
                   const std::function<void(std::int32_t, std::int32_t)>& progress) {
  const fs::path target = target_of(archive_folder);
  check_target(target);
  const World world = read_world(raw_folder);
  Conversion conversion{world.ranks, 0, 0, 0, world.warnings};
  const Unfinished unfinished(unfinished_folder(archive_folder, getpid()));
  try {
    ArchiveWriter archive(unfinished.folder.string(), world);
    for (std::int32_t rank = 0; rank < world.ranks; ++rank) {
      const RawFile file(world.paths[static_cast<std::size_t>(rank)]);
      conversion.raw_bytes += file.bytes();
      RankEvents(world, file, archive).write();
      progress(rank + 1, world.ranks);
    }
    conversion.events = archive.events();
    archive.finish();
    write_checksums(unfinished.folder.string());
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(unfinished.folder)) {
      if (entry.is_regular_file()) conversion.archive_bytes += entry.file_size();
    }
    fs::remove_all(target);
    fs::rename(unfinished.folder, target);
  } catch (const fs::filesystem_error& error) {
    throw base::UserError(base::ExitCode::environment,
                          base::explain("the archive cannot be written", error.what(),
                                        "see that the disk has room and can be written"));
  }
  return conversion;
}

}  // namespace hakaru::trace
