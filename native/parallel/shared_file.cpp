#include "native/parallel/shared_file.hpp"

#include <algorithm>

namespace hakaru::parallel {
namespace {

// Counts of MPI-IO are of 32 bits.
constexpr std::size_t largest_transfer_bytes = std::size_t{1} << 30;

// body(begin, bytes) for one piece after the other; also of nothing there is one.
template <typename Body>
void in_pieces(std::size_t bytes, const Body& body) {
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(bytes - done, largest_transfer_bytes);
    body(done, static_cast<int>(piece));
    done += piece;
  } while (done < bytes);
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
  in_pieces(bytes, [&](std::size_t begin, int wanted) {
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
  in_pieces(bytes, [&](std::size_t begin, int wanted) {
    note(MPI_File_read_at(handle_, static_cast<MPI_Offset>(at + begin),
                          static_cast<char*>(data) + begin, wanted, MPI_BYTE, MPI_STATUS_IGNORE));
  });
}

}  // namespace hakaru::parallel
