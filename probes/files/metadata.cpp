#include "probes/files/metadata.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "native/base/clock.hpp"

namespace hakaru::probes::files {
namespace {

constexpr char contents[] = "hakaru!";  // 8 bytes

bool made(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (file < 0) return false;
  const bool written = ::write(file, contents, sizeof contents) == sizeof contents;
  return ::close(file) == 0 && written;
}

}  // namespace

MetadataTimes metadata(const parallel::Communicator& ranks, const SharedFolder& folder, int files) {
  MetadataTimes found;
  std::string failed;
  std::vector<std::string> paths;
  for (int i = 0; i < files; ++i)
    paths.push_back(folder.path(fmt::format("{}-{}", ranks.rank(), i)));
  const auto timed = [&](const auto& each) {
    ranks.barrier();
    const double start = base::now_s();
    for (const std::string& path : paths) each(path);
    return ranks.maximum((base::now_s() - start) / files);
  };
  std::int64_t wrong = 0;
  found.create_s = timed([&](const std::string& path) {
    if (failed.empty() && !made(path))
      failed = fmt::format("{} cannot be made: {}", path, std::strerror(errno));
  });
  agree(ranks, failed);
  found.stat_s = timed([&](const std::string& path) {
    struct stat status {};
    wrong += ::stat(path.c_str(), &status) != 0 || status.st_size != sizeof contents;
  });
  found.delete_s = timed([&](const std::string& path) { wrong += ::unlink(path.c_str()) != 0; });
  for (const std::string& path : paths) wrong += ::access(path.c_str(), F_OK) == 0;
  found.wrong = ranks.sum(wrong);
  return found;
}

}  // namespace hakaru::probes::files
