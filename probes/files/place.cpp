#include "probes/files/place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace hakaru::probes::files {
namespace {

struct Known {
  unsigned long number;  // of statfs(2)
  const char* name;
  const char* reach;
};

constexpr Known known[] = {
    {0xEF53, "ext4", "local"},        {0x58465342, "xfs", "local"},
    {0x9123683E, "btrfs", "local"},   {0x2fc12fc1, "zfs", "local"},
    {0x794c7630, "overlay", "local"}, {0x01021994, "tmpfs", "memory"},
    {0x858458f6, "ramfs", "memory"},  {0x6969, "nfs", "shared"},
    {0x0BD00BD0, "lustre", "shared"}, {0x47504653, "gpfs", "shared"},
    {0x19830326, "beegfs", "shared"}, {0x00c36400, "ceph", "shared"},
    {0xff534d42, "cifs", "shared"},   {0x65735546, "fuse", "shared"},
};

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : number_(::open(path.c_str(), flags)) {
    if (number_ < 0)
      throw Unavailable(fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  }
  ~OpenFile() { ::close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }
  std::size_t bytes() const {
    struct stat status {};
    return ::fstat(number_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  }

 private:
  int number_;
};

}  // namespace

FileSystem file_system_of(const std::string& folder) {
  struct statfs found {};
  if (::statfs(folder.c_str(), &found) != 0)
    throw Unavailable(fmt::format("{} cannot be used: {}", folder, std::strerror(errno)));
  FileSystem file_system{fmt::format("{:#x}", static_cast<unsigned long>(found.f_type)), "local",
                         static_cast<double>(found.f_bavail) * static_cast<double>(found.f_bsize)};
  for (const Known& one : known)
    if (one.number == static_cast<unsigned long>(found.f_type))
      file_system.name = one.name, file_system.reach = one.reach;
  return file_system;
}

double resident_share(const std::string& path) {
  const OpenFile file(path, O_RDONLY);
  const std::size_t bytes = file.bytes(), page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (bytes == 0) return 0.0;
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.number(), 0);
  if (mapped == MAP_FAILED) throw Unavailable("the page cache cannot be asked");
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  const bool told = ::mincore(mapped, bytes, pages.data()) == 0;
  ::munmap(mapped, bytes);
  if (!told) throw Unavailable("the kernel does not say what the page cache holds");
  const auto held = std::count_if(pages.begin(), pages.end(), [](int one) { return one & 1; });
  return static_cast<double>(held) / static_cast<double>(pages.size());
}

double forget(const std::string& path) {
  {
    const OpenFile file(path, O_RDWR);
    ::fsync(file.number());
    ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
  }
  return resident_share(path);
}

Bytes read_back(const std::string& path, std::size_t offset, std::size_t bytes) {
  const OpenFile file(path, O_RDONLY);
  Bytes found(bytes);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t now = ::pread(file.number(), found.data() + done, bytes - done,
                                static_cast<off_t>(offset + done));
    if (now < 0)
      throw Unavailable(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
    if (now == 0) break;
    done += static_cast<std::size_t>(now);
  }
  found.resize(done);
  return found;
}

void agree(const parallel::Communicator& ranks, const std::string& reason) {
  const int first = ranks.minimum(reason.empty() ? ranks.size() : ranks.rank());
  if (first == ranks.size()) return;
  std::vector<int> length{static_cast<int>(reason.size())};
  ranks.broadcast(length, first);
  std::vector<char> text(reason.begin(), reason.end());
  text.resize(static_cast<std::size_t>(length[0]));
  ranks.broadcast(text, first);
  throw Unavailable(std::string(text.begin(), text.end()));
}

SharedFolder::SharedFolder(const parallel::Communicator& ranks, const std::string& parent)
    : ranks_(ranks), path_(parent + "/hakaru-files-XXXXXX") {
  std::string reason;
  if (ranks.rank() == 0 && ::mkdtemp(path_.data()) == nullptr)
    reason = fmt::format("no folder can be made in {}: {}", parent, std::strerror(errno));
  agree(ranks, reason);
  std::vector<char> name(path_.begin(), path_.end());
  ranks.broadcast(name, 0);
  path_.assign(name.begin(), name.end());
  agree(ranks, std::filesystem::is_directory(path_)
                   ? ""
                   : fmt::format("{} is not seen by every rank", parent));
}

SharedFolder::~SharedFolder() {
  MPI_Barrier(ranks_.handle());
  std::error_code ignored;
  if (ranks_.rank() == 0) std::filesystem::remove_all(path_, ignored);
}

}  // namespace hakaru::probes::files
