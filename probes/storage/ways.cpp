#include "probes/storage/ways.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"

namespace hakaru::probes::storage {
namespace {

// A byte that tells rank, call and position.
char byte_of(int rank, std::size_t call, std::size_t at) {
  return static_cast<char>((static_cast<std::size_t>(rank) * 131 + call * 17 + at) & 0xff);
}

std::vector<char> data_of(int rank, Amount amount) {
  std::vector<char> data(amount.calls * amount.bytes);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = byte_of(rank, i / amount.bytes, i % amount.bytes);
  return data;
}

// A new file of this process by POSIX calls.
class OwnFile {
 public:
  explicit OwnFile(const std::string& path)
      : file_(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666)) {}
  ~OwnFile() { close(false); }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  void write(const char* data, std::size_t bytes) {
    while (good() && bytes > 0) {
      const ssize_t written = ::write(file_, data, bytes);
      if (written <= 0) {
        failed_ = true;
      } else {
        data += written;
        bytes -= static_cast<std::size_t>(written);
      }
    }
  }
  bool close(bool sync) {
    if (file_ < 0) return false;
    if (sync) failed_ = ::fsync(file_) != 0 || failed_;
    failed_ = ::close(file_) != 0 || failed_;
    file_ = -1;
    return !failed_;
  }
  bool good() const { return file_ >= 0 && !failed_; }

 private:
  int file_;
  bool failed_ = false;
};

}  // namespace

const char* name_of(Way way) {
  constexpr const char* names[] = {"own", "shared", "collective", "master"};
  return names[static_cast<int>(way)];
}

const char* name_of(Pattern pattern) { return pattern == Pattern::parts ? "parts" : "interleaved"; }

std::string Writer::file_of(Way way, int rank) const {
  return way == Way::own ? fmt::format("{}.{}", path_, rank) : path_;
}

// Gathered calls lie one behind the other, each with the bytes of all ranks.
std::size_t Writer::place(Method method, Amount amount, int rank, std::size_t call) const {
  const auto ranks = static_cast<std::size_t>(ranks_.size()), mine = static_cast<std::size_t>(rank);
  if (method.way == Way::own) return call * amount.bytes;
  if (method.way == Way::master || method.pattern == Pattern::interleaved)
    return (call * ranks + mine) * amount.bytes;
  return (mine * amount.calls + call) * amount.bytes;
}

bool Writer::write_own(Amount amount, const std::vector<char>& data) const {
  OwnFile file(file_of(Way::own, ranks_.rank()));
  for (std::size_t call = 0; call < amount.calls; ++call)
    file.write(data.data() + call * amount.bytes, amount.bytes);
  return file.close(sync_);
}

bool Writer::write_shared(Method method, Amount amount, const std::vector<char>& data) const {
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY;
  if (MPI_File_open(ranks_.handle(), path_.c_str(), mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
    return false;
  bool good = true;
  const auto write = method.way == Way::collective ? MPI_File_write_at_all : MPI_File_write_at;
  for (std::size_t call = 0; call < amount.calls; ++call) {
    const auto at = static_cast<MPI_Offset>(place(method, amount, ranks_.rank(), call));
    good = write(file, at, data.data() + call * amount.bytes, static_cast<int>(amount.bytes),
                 MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           good;
  }
  if (sync_) good = MPI_File_sync(file) == MPI_SUCCESS && good;
  return MPI_File_close(&file) == MPI_SUCCESS && good;
}

bool Writer::write_gathered(Amount amount, const std::vector<char>& data) const {
  const bool writes = ranks_.rank() == 0;
  const auto ranks = static_cast<std::size_t>(ranks_.size());
  std::vector<char> all(writes ? ranks * amount.bytes : 0);
  OwnFile file(writes ? path_ : std::string{});
  for (std::size_t call = 0; call < amount.calls; ++call) {
    MPI_Gather(data.data() + call * amount.bytes, static_cast<int>(amount.bytes), MPI_BYTE,
               all.data(), static_cast<int>(amount.bytes), MPI_BYTE, 0, ranks_.handle());
    if (writes) file.write(all.data(), all.size());
  }
  const bool good = !writes || file.close(sync_);
  ranks_.barrier();
  return good;
}

double Writer::write(Method method, Amount amount) {
  const std::vector<char> data = data_of(ranks_.rank(), amount);
  ranks_.barrier();
  const double begin = base::now_s();
  const bool good = method.way == Way::own      ? write_own(amount, data)
                    : method.way == Way::master ? write_gathered(amount, data)
                                                : write_shared(method, amount, data);
  const double seconds = ranks_.maximum(base::now_s() - begin);
  const bool all_good = ranks_.all(good);
  if (!all_good) remove(method);
  base::require_environment(all_good, fmt::format("'{}' cannot be written", path_),
                            "no room, no leave, or it is there already",
                            "name another folder with folder=DIR");
  return seconds;
}

double Writer::wrong_bytes(Method method, Amount amount) const {
  ranks_.barrier();
  std::ifstream file(file_of(method.way, ranks_.rank()), std::ios::binary);
  double wrong = 0;
  std::vector<char> found(amount.bytes);
  for (std::size_t call = 0; call < amount.calls; ++call) {
    std::fill(found.begin(), found.end(), '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(place(method, amount, ranks_.rank(), call)));
    file.read(found.data(), static_cast<std::streamsize>(found.size()));
    if (static_cast<std::size_t>(file.gcount()) < found.size()) wrong += 1;
    for (std::size_t i = 0; i < found.size(); ++i)
      wrong += found[i] != byte_of(ranks_.rank(), call, i);
  }
  return ranks_.maximum(wrong);
}

void Writer::damage(Method method) const {
  std::fstream file(file_of(method.way, ranks_.rank()),
                    std::ios::binary | std::ios::in | std::ios::out);
  const int first = file.get();
  file.seekp(0);
  file.put(static_cast<char>(first ^ 1));
}

void Writer::remove(Method method) const {
  ranks_.barrier();
  if (method.way == Way::own || ranks_.rank() == 0)
    ::unlink(file_of(method.way, ranks_.rank()).c_str());
  ranks_.barrier();
}

}  // namespace hakaru::probes::storage
