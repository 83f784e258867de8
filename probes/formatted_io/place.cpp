#include "probes/formatted_io/place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "native/base/clock.hpp"

extern char** environ;

namespace hakaru::probes::formatted_io {
namespace {

struct Known {
  unsigned long number;
  const char* name;
};
// f_type of statfs(2).
constexpr Known known[] = {{0xEF53, "ext4"},       {0x58465342, "xfs"},     {0x9123683E, "btrfs"},
                           {0x01021994, "tmpfs"},  {0x6969, "nfs"},         {0x0BD00BD0, "lustre"},
                           {0x47504653, "gpfs"},   {0x794C7630, "overlay"}, {0x2FC12FC1, "zfs"},
                           {0x19830326, "beegfs"}, {0x858458F6, "ramfs"}};

// Runs a program silently. Throws Unavailable when it is missing or fails.
void require_done(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int stream : {1, 2})
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed)
    throw Unavailable(fmt::format("{} cannot be started: {}", words[0], std::strerror(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Unavailable(fmt::format("{} failed", words[0]));
}

void own_mounts() {
  static const int failed = [] {
    if (::unshare(CLONE_NEWNS) != 0) return errno;
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 ? 0 : errno;
  }();
  if (failed) throw Unavailable(fmt::format("nothing may be mounted: {}", std::strerror(failed)));
}

}  // namespace

FileSystem file_system_of(const std::string& folder) {
  struct statfs found {};
  if (::statfs(folder.c_str(), &found) != 0)
    throw Unavailable(fmt::format("{} cannot be used: {}", folder, std::strerror(errno)));
  FileSystem system{fmt::format("{:#x}", static_cast<unsigned long>(found.f_type)),
                    static_cast<double>(found.f_bavail) * static_cast<double>(found.f_bsize)};
  for (const Known& one : known)
    if (one.number == static_cast<unsigned long>(found.f_type)) system.name = one.name;
  return system;
}

Folder::Folder(const std::string& parent) : path_(parent + "/hakaru-formatted-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr)
    throw Unavailable(fmt::format("no folder can be made in {}: {}", parent, std::strerror(errno)));
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

LoopMount::LoopMount(const std::string& folder, std::int64_t bytes) : path_(folder + "/loop") {
  own_mounts();
  const std::string image = folder + "/loop.image";
  if (file_system_of(folder).free_bytes < 1.1 * static_cast<double>(bytes))
    throw Unavailable(fmt::format("{} bytes are wanted for it", bytes));
  try {
    const int file = ::open(image.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    const bool made = file >= 0 && ::ftruncate(file, bytes) == 0;
    if (file >= 0) ::close(file);
    if (!made) throw Unavailable(fmt::format("{} cannot be made", image));
    require_done({"mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image});
    std::filesystem::create_directory(path_);
    require_done({"mount", "-t", "ext4", "-o", "loop", image, path_});
    ::unlink(image.c_str());
  } catch (...) {
    ::unlink(image.c_str());
    throw;
  }
}

LoopMount::~LoopMount() { ::umount2(path_.c_str(), MNT_DETACH); }

double synchronise(const std::string& path) {
  const double start = base::now_s();
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!done)
    throw Unavailable(fmt::format("{} cannot be synchronised: {}", path, std::strerror(error)));
  return base::now_s() - start;
}

}  // namespace hakaru::probes::formatted_io
