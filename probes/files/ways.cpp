#include "probes/files/ways.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace hakaru::probes::files {
namespace {

using parallel::Communicator;

bool is_collective(Way way) {
  return way == Way::collective || way == Way::hdf5_collective || way == Way::pnetcdf_collective;
}

constexpr std::size_t direct_alignment = 4096;

class Plain {
 public:
  Plain(const Communicator& ranks, const std::string& path, int flags, bool takes_part = true) {
    if (takes_part) number_ = ::open(path.c_str(), flags, 0600);
    agree(ranks, !takes_part || number_ >= 0
                     ? ""
                     : fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  }
  ~Plain() {
    if (number_ >= 0) ::close(number_);
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  int number() const { return number_; }

  std::string put(const unsigned char* data, std::size_t bytes) const {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t now = ::write(number_, data + done, bytes - done);
      if (now <= 0)
        return fmt::format("{} bytes cannot be written: {}", bytes, std::strerror(errno));
      done += static_cast<std::size_t>(now);
    }
    return "";
  }
  std::string get(unsigned char* data, std::size_t bytes) const {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t now = ::read(number_, data + done, bytes - done);
      if (now <= 0) return fmt::format("{} bytes cannot be read: {}", bytes, std::strerror(errno));
      done += static_cast<std::size_t>(now);
    }
    return "";
  }
  std::string sync() const {
    return ::fsync(number_) == 0 ? "" : fmt::format("the flush fails: {}", std::strerror(errno));
  }

 private:
  int number_ = -1;
};

class Aligned {
 public:
  explicit Aligned(std::size_t bytes)
      : data_(static_cast<unsigned char*>(std::aligned_alloc(
                  direct_alignment,
                  (bytes + direct_alignment - 1) / direct_alignment * direct_alignment)),
              std::free) {
    if (!data_) throw std::bad_alloc();
  }
  unsigned char* data() const { return data_.get(); }

 private:
  std::unique_ptr<unsigned char, void (*)(void*)> data_;
};

// The blocks of a rank in the file, as an MPI datatype.
class View {
 public:
  explicit View(const Pattern& pattern) {
    const auto stride = static_cast<MPI_Aint>(pattern.block_bytes) * pattern.ranks;
    HAKARU_MPI(MPI_Type_create_hvector(pattern.blocks, static_cast<int>(pattern.block_bytes),
                                       stride, MPI_BYTE, &type_));
    HAKARU_MPI(MPI_Type_commit(&type_));
  }
  ~View() { MPI_Type_free(&type_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  std::string set(MPI_File file, const Pattern& pattern, int rank, MPI_Info info) const {
    char native[] = "native";
    return trouble(MPI_File_set_view(file, static_cast<MPI_Offset>(pattern.offset(rank, 0)),
                                     MPI_BYTE, type_, native, info));
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

WriteTimes write_split(const Communicator& ranks, const std::string& path, const Bytes& data,
                       bool direct) {
  if (direct && data.size() % direct_alignment != 0)
    throw Unavailable("direct transfers need whole blocks of 4096 bytes");
  const Plain file(ranks, path, O_WRONLY | O_CREAT | O_TRUNC | (direct ? O_DIRECT : 0));
  const Aligned aligned(direct ? data.size() : 1);
  if (direct) std::copy(data.begin(), data.end(), aligned.data());
  const unsigned char* from = direct ? aligned.data() : data.data();
  return timed(
      ranks, [&] { return file.put(from, data.size()); }, [&] { return file.sync(); });
}

WriteTimes write_master(const Communicator& ranks, const Pattern& pattern, const std::string& path,
                        const Bytes& data) {
  const bool master = ranks.rank() == 0;
  const Plain file(ranks, path, O_WRONLY | O_CREAT | O_TRUNC, master);
  Bytes gathered(master ? pattern.file_bytes() : 0);
  const int bytes = static_cast<int>(data.size());
  return timed(
      ranks,
      [&] {
        const int code = MPI_Gather(data.data(), bytes, MPI_BYTE, gathered.data(), bytes, MPI_BYTE,
                                    0, ranks.handle());
        if (code != MPI_SUCCESS || !master) return trouble(code);
        const Bytes ordered =
            pattern.blocks > 1 ? in_order_of_file(pattern, gathered) : std::move(gathered);
        return file.put(ordered.data(), ordered.size());
      },
      [&] { return master ? file.sync() : std::string(); });
}

WriteTimes write_mpi(const Communicator& ranks, Way way, const Pattern& pattern,
                     const std::string& path, const Bytes& data, const Hint& hint) {
  const MpiFile file(ranks, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, hint);
  const View view(pattern);
  return timed(
      ranks,
      [&] {
        const std::string refused = view.set(file.handle(), pattern, ranks.rank(), MPI_INFO_NULL);
        MPI_Status status;
        const int bytes = static_cast<int>(data.size());
        const int code =
            is_collective(way)
                ? MPI_File_write_all(file.handle(), data.data(), bytes, MPI_BYTE, &status)
                : MPI_File_write(file.handle(), data.data(), bytes, MPI_BYTE, &status);
        return refused.empty() ? trouble(code, status, data.size()) : refused;
      },
      [&] { return trouble(MPI_File_sync(file.handle())); });
}

}  // namespace

const char* name_of(Way way) {
  switch (way) {
    case Way::split:
      return "split";
    case Way::split_direct:
      return "split, direct";
    case Way::independent:
      return "independent";
    case Way::collective:
      return "collective";
    case Way::hdf5_independent:
      return "HDF5, independent";
    case Way::hdf5_collective:
      return "HDF5, collective";
    case Way::pnetcdf_independent:
      return "PnetCDF, independent";
    case Way::pnetcdf_collective:
      return "PnetCDF, collective";
    default:
      return "master";
  }
}

const ArrayFile* library_of(Way way) {
  switch (way) {
    case Way::hdf5_independent:
    case Way::hdf5_collective:
      return &hdf5();
    case Way::pnetcdf_independent:
    case Way::pnetcdf_collective:
      return &pnetcdf();
    default:
      return nullptr;
  }
}

std::string left_out(Way way) {
  const ArrayFile* library = library_of(way);
  return library ? library->absent() : "";
}

const std::vector<Hint>& all_hints() {
  static const std::vector<Hint> hints{{"", ""},
                                       {"cb_buffer_size", "1048576"},
                                       {"cb_nodes", "1"},
                                       {"romio_cb_write", "disable"},
                                       {"romio_ds_write", "enable"},
                                       {"romio_ds_write", "disable"}};
  return hints;
}

std::string trouble(int code) {
  if (code == MPI_SUCCESS) return "";
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

std::string trouble(int code, const MPI_Status& status, std::size_t wanted) {
  if (code != MPI_SUCCESS) return trouble(code);
  int moved = 0;
  MPI_Get_count(&status, MPI_BYTE, &moved);
  if (static_cast<std::size_t>(moved) == wanted) return "";
  return fmt::format("{} of {} bytes were moved", moved, wanted);
}

MpiFile::MpiFile(const Communicator& ranks, const std::string& path, int mode, const Hint& hint) {
  MPI_Info info = MPI_INFO_NULL;
  if (!hint.key.empty()) {
    MPI_Info_create(&info);
    MPI_Info_set(info, hint.key.c_str(), hint.value.c_str());
  }
  const int code = MPI_File_open(ranks.handle(), path.c_str(), mode, info, &handle_);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (code != MPI_SUCCESS) handle_ = MPI_FILE_NULL;
  const std::string why = trouble(code);
  agree(ranks, why.empty() ? "" : fmt::format("{} cannot be opened by MPI-IO: {}", path, why));
}

MpiFile::~MpiFile() {
  if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
}

std::string path_of(Way way, const std::string& stem, int rank) {
  return has_own_file(way) ? fmt::format("{}.{}", stem, rank) : stem;
}

WriteTimes write(const Communicator& ranks, Way way, const Pattern& pattern,
                 const std::string& stem, const Bytes& data, const Hint& hint) {
  const std::string path = path_of(way, stem, ranks.rank());
  if (has_own_file(way)) return write_split(ranks, path, data, way == Way::split_direct);
  if (way == Way::master) return write_master(ranks, pattern, path, data);
  if (const ArrayFile* library = library_of(way))
    return library->write(ranks, is_collective(way), pattern, path, data);
  return write_mpi(ranks, way, pattern, path, data, hint);
}

double read(const Communicator& ranks, Way way, const Pattern& pattern, const std::string& stem,
            Bytes& data, const Hint& hint) {
  const std::string path = path_of(way, stem, ranks.rank());
  if (const ArrayFile* library = library_of(way))
    return library->read(ranks, is_collective(way), pattern, path, data);
  const int bytes = static_cast<int>(data.size());
  const auto nothing = [] { return std::string(); };
  if (has_own_file(way)) {
    const bool direct = way == Way::split_direct;
    const Plain file(ranks, path, O_RDONLY | (direct ? O_DIRECT : 0));
    const Aligned aligned(direct ? data.size() : 1);
    unsigned char* to = direct ? aligned.data() : data.data();
    const double seconds = timed(
                               ranks, [&] { return file.get(to, data.size()); }, nothing)
                               .cached_s;
    if (direct) std::copy_n(to, data.size(), data.begin());
    return seconds;
  }
  if (way == Way::master) {
    const bool master = ranks.rank() == 0;
    const Plain file(ranks, path, O_RDONLY, master);
    Bytes all(master ? pattern.file_bytes() : 0);
    const auto scattered = [&] {
      const std::string failed = master ? file.get(all.data(), all.size()) : std::string();
      if (master && pattern.blocks > 1) all = in_order_of_ranks(pattern, all);
      const int code =
          MPI_Scatter(all.data(), bytes, MPI_BYTE, data.data(), bytes, MPI_BYTE, 0, ranks.handle());
      return failed.empty() ? trouble(code) : failed;
    };
    return timed(ranks, scattered, nothing).cached_s;
  }
  const MpiFile file(ranks, path, MPI_MODE_RDONLY, hint);
  const View view(pattern);
  return timed(
             ranks,
             [&] {
               const std::string refused =
                   view.set(file.handle(), pattern, ranks.rank(), MPI_INFO_NULL);
               MPI_Status status;
               const int code =
                   is_collective(way)
                       ? MPI_File_read_all(file.handle(), data.data(), bytes, MPI_BYTE, &status)
                       : MPI_File_read(file.handle(), data.data(), bytes, MPI_BYTE, &status);
               return refused.empty() ? trouble(code, status, data.size()) : refused;
             },
             nothing)
      .cached_s;
}

std::size_t wrong_bytes(const Communicator& ranks, Way way, const Pattern& pattern,
                        const std::string& stem, unsigned seed) {
  const std::string path = path_of(way, stem, ranks.rank());
  const ArrayFile* library = library_of(way);
  const std::size_t begin = library ? library->begin(ranks, path) : 0;
  std::size_t wrong = 0;
  std::string failed;
  try {
    if (has_own_file(way)) {
      const Bytes found = read_back(path, 0, pattern.rank_bytes() + 1);
      wrong = differing(found, contents_of(pattern, ranks.rank(), seed));
    } else {  // each rank looks at a part of the file that another one has written
      const int other = (ranks.rank() + 1) % ranks.size();
      for (int block = 0; block < pattern.blocks; ++block) {
        const std::size_t at = pattern.offset(other, block);
        const Bytes found = read_back(path, begin + at, pattern.block_bytes);
        wrong += differing(found, contents_at(at, pattern.block_bytes, seed));
      }
      if (ranks.rank() == 0 && !library) wrong += read_back(path, pattern.file_bytes(), 1).size();
    }
  } catch (const Unavailable& why) {
    failed = why.what();
  }
  agree(ranks, failed);
  return static_cast<std::size_t>(ranks.sum(static_cast<std::int64_t>(wrong)));
}

void remove(const Communicator& ranks, Way way, const std::string& stem) {
  ranks.barrier();
  if (has_own_file(way) || ranks.rank() == 0) ::unlink(path_of(way, stem, ranks.rank()).c_str());
  ranks.barrier();
}

}  // namespace hakaru::probes::files
