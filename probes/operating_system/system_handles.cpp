#include "probes/operating_system/system_handles.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "native/base/cores.hpp"

namespace hakaru::probes::operating_system {

void Descriptor::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

Channel pipe_channel() {
  int ends[2];
  if (::pipe(ends) != 0) unavailable("no pipe can be made");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::pair<Descriptor, Descriptor> unix_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) unavailable("no UNIX sockets can be made");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor opened(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags, 0600));
  if (file.number() < 0) unavailable(fmt::format("{} cannot be opened", path));
  return file;
}

struct Placed::Before {
  base::ProcessorMask mask;
};

Placed::Placed(Placement placement, int index) {
  if (placement == Placement::free) return;
  const std::vector<int> cores = base::distinct_cores();
  if (placement == Placement::two_cores && cores.size() < 2)
    throw Unavailable("two cores are wanted and one may be used");
  before_ = new Before{base::ProcessorMask::of_this_thread()};
  base::ProcessorMask mask;
  mask.add(cores[placement == Placement::one_core ? 0 : static_cast<std::size_t>(index) % 2]);
  if (!mask.confine_this_thread()) {
    delete std::exchange(before_, nullptr);
    throw Unavailable("the kernel does not bind a process to a core");
  }
}

Placed::~Placed() {
  if (before_) before_->mask.confine_this_thread();
  delete before_;
}

Child::Child(const Conditions& conditions, int index, const std::function<void()>& work) {
  process_ = ::fork();
  if (process_ < 0) unavailable("a process cannot be started");
  if (process_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGBUS}) ::signal(signal, SIG_DFL);
  try {
    Placed here(conditions.placement, index);
    work();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

Child::~Child() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Mapping::Mapping(std::size_t bytes, int protection, int flags, int descriptor) : bytes_(bytes) {
  void* found = ::mmap(nullptr, bytes, protection, flags, descriptor, 0);
  if (found == MAP_FAILED) unavailable("memory cannot be mapped");
  data_ = static_cast<std::byte*>(found);
}

Mapping::~Mapping() { ::munmap(data_, bytes_); }

Folder::Folder(const std::string& parent) {
  path_ = parent + "/hakaru-operating-system-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr)
    unavailable(fmt::format("no folder can be made in {}", parent));
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::uint64_t word_at(std::int64_t index) {
  return static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15ULL + 1;
}

std::uint64_t sum_of_words(std::int64_t bytes) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < bytes / 8; ++i) sum += word_at(i);
  return sum;
}

// Of lmdd. A page cache keeps what is written at once in one piece, and large pieces fault rarely.
constexpr std::int64_t written_at_once = 8 << 10;

void write_file(const std::string& path, std::int64_t bytes) {
  Descriptor file = opened(path, O_WRONLY | O_CREAT | O_TRUNC);
  std::vector<std::uint64_t> chunk;
  for (std::int64_t done = 0; done < bytes; done += static_cast<std::int64_t>(chunk.size()) * 8) {
    chunk.resize(static_cast<std::size_t>(std::min(bytes - done, written_at_once)) / 8);
    for (std::size_t i = 0; i < chunk.size(); ++i)
      chunk[i] = word_at(done / 8 + static_cast<std::int64_t>(i));
    const auto* data = reinterpret_cast<const char*>(chunk.data());
    for (std::size_t part = 0; part < chunk.size() * 8;) {
      const ssize_t now = ::write(file.number(), data + part, chunk.size() * 8 - part);
      if (now <= 0) unavailable(fmt::format("{} bytes cannot be written to {}", bytes, path));
      part += static_cast<std::size_t>(now);
    }
  }
  if (::fsync(file.number()) != 0) unavailable(fmt::format("{} cannot be flushed", path));
}

void write_failed() { unavailable("the other process cannot be written to"); }

void read_failed(ssize_t result) {
  if (result == 0) throw Unavailable("the other process has ended");
  unavailable("the other process does not answer");
}

}  // namespace hakaru::probes::operating_system
