#include "native/parallel/shared_file.hpp"

#include <unistd.h>

#include <numeric>

#include "native/base/atomic_file.hpp"
#include "native/base/pieces.hpp"
#include "native/base/require.hpp"

namespace hakaru::parallel {
namespace {

void require_written(bool good, const std::string& path) {
  base::require_environment(good, "cannot write " + path,
                            "its folder cannot be written or the disk is full",
                            "free some space or choose another folder");
}

}  // namespace

SharedFile::SharedFile(const Communicator& ranks, const std::string& path, int mode)
    : good_(MPI_File_open(ranks.handle(), path.c_str(), mode, MPI_INFO_NULL, &handle_) ==
            MPI_SUCCESS),
      open_(good_) {}

void SharedFile::close() {
  if (open_) note(MPI_File_close(&handle_));
  open_ = false;
}

void SharedFile::write(std::size_t at, const void* data, std::size_t bytes) {
  base::in_pieces(bytes, [&](std::size_t begin, std::size_t piece) {
    const int wanted = static_cast<int>(piece);
    MPI_Status status;
    int written = 0;
    const int code =
        MPI_File_write_at(handle_, static_cast<MPI_Offset>(at + begin),
                          static_cast<const char*>(data) + begin, wanted, MPI_BYTE, &status);
    note(code);
    if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &written);
    good_ = good_ && written == wanted;
  });
}

void SharedFile::read(std::size_t at, void* data, std::size_t bytes) {
  base::in_pieces(bytes, [&](std::size_t begin, std::size_t piece) {
    note(MPI_File_read_at(handle_, static_cast<MPI_Offset>(at + begin),
                          static_cast<char*>(data) + begin, static_cast<int>(piece), MPI_BYTE,
                          MPI_STATUS_IGNORE));
  });
}

void SharedFile::write_all(const std::vector<std::size_t>& places, const std::vector<int>& lengths,
                           const void* data) {
  const std::vector<MPI_Aint> displacements(places.begin(), places.end());
  const std::size_t bytes = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  MPI_Datatype parts = MPI_BYTE;  // of a rank that has none: no type may be empty
  if (bytes > 0) {
    note(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                  displacements.data(), MPI_BYTE, &parts));
    note(MPI_Type_commit(&parts));
  }
  note(MPI_File_set_view(handle_, 0, MPI_BYTE, parts, "native", MPI_INFO_NULL));
  // In units whose number is one of 32 bits.
  const bool words = bytes % sizeof(double) == 0;
  const MPI_Datatype unit = words ? MPI_DOUBLE : MPI_BYTE;
  const int wanted = static_cast<int>(words ? bytes / sizeof(double) : bytes);
  MPI_Status status;
  int written = 0;
  const int code = MPI_File_write_at_all(handle_, 0, data, wanted, unit, &status);
  note(code);
  if (code == MPI_SUCCESS) MPI_Get_count(&status, unit, &written);
  good_ = good_ && written == wanted;
  note(MPI_File_set_view(handle_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
  if (bytes > 0) MPI_Type_free(&parts);
}

void write_whole(const Communicator& ranks, const std::string& path,
                 const std::function<void(SharedFile&)>& parts) {
  write_whole(ranks, ranks, path, parts);
}

// No rank throws, and ends the others by its exit status, before the other name is gone.
void write_whole(const Communicator& ranks, const Communicator& writers, const std::string& path,
                 const std::function<void(SharedFile&)>& parts) {
  const std::string temporary = path + ".part";
  const bool names = writers.rank() == 0;
  SharedFile file(writers, temporary, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  const bool open = ranks.all(file.is_open());
  if (!open) {
    if (names) ::unlink(temporary.c_str());
    ranks.barrier();
  }
  require_written(open, path);
  file.clear();
  parts(file);
  file.sync();
  file.close();
  bool good = ranks.all(file.good());
  if (names) {
    good = good && base::put_in_place(temporary, path).empty();
    if (!good) ::unlink(temporary.c_str());
  }
  require_written(ranks.all(good), path);
}

}  // namespace hakaru::parallel
