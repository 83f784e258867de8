// A file that all ranks write or read together through MPI-IO, each its parts.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::parallel {

// Remembers whether anything went wrong on this rank; what that means is decided by all ranks
// together, at the end. Closed when it goes out of scope.
class SharedFile {
 public:
  // MPI_MODE_CREATE | MPI_MODE_WRONLY or MPI_MODE_RDONLY. Collective.
  SharedFile(const Communicator& ranks, const std::string& path, int mode);
  ~SharedFile() { close(); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  bool is_open() const { return open_; }
  bool good() const { return good_; }

  // Of this rank alone, at a distance from the file's beginning in bytes.
  void write(std::size_t at, const void* data, std::size_t bytes);
  void read(std::size_t at, void* data, std::size_t bytes);

  // Parts of this rank, in the order of the file, from consecutive `data`; `lengths` in bytes.
  // Collective.
  void write_all(const std::vector<std::size_t>& places, const std::vector<int>& lengths,
                 const void* data);

  // Collective.
  void clear() { note(MPI_File_set_size(handle_, 0)); }
  void sync() { note(MPI_File_sync(handle_)); }
  void close();

 private:
  void note(int code) { good_ = good_ && code == MPI_SUCCESS; }

  MPI_File handle_ = MPI_FILE_NULL;
  bool good_ = false, open_ = false;
};

// A file that is whole, or as it was: `parts` writes this rank's parts under another name beside
// `path`, which becomes its own when all ranks have written. Collective over `ranks`, all of which
// write it, and throws UserError(environment) on all of them when it cannot be written.
void write_whole(const Communicator& ranks, const std::string& path,
                 const std::function<void(SharedFile&)>& parts);
// The same of several files, each of its own communicator `writers`: none gets its name before all
// are written.
void write_whole(const Communicator& ranks, const Communicator& writers, const std::string& path,
                 const std::function<void(SharedFile&)>& parts);

}  // namespace hakaru::parallel
