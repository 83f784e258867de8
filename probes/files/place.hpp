// Where files are: the kind of file system, its room, and what of a file the page cache holds.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "native/parallel/communicator.hpp"
#include "probes/files/pattern.hpp"

namespace hakaru::probes::files {

// Something that this place does not allow, with the reason; the rest goes on.
class Unavailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FileSystem {
  std::string name;   // "ext4", "nfs", "tmpfs" ...; its number where it is none of the usual
  std::string reach;  // "local", "shared", or "memory": no disk is behind it
  double free_bytes = 0.0;
};

// Throws Unavailable when the folder cannot be asked.
FileSystem file_system_of(const std::string& folder);

// Writes what the page cache has of a file to its device and asks the kernel to forget it. The
// share of its pages that still is in memory afterwards; 0 for a file without pages.
double forget(const std::string& path);
double resident_share(const std::string& path);

// The whole file, or the part of it. Throws Unavailable when it cannot be read.
Bytes read_back(const std::string& path, std::size_t offset, std::size_t bytes);

// A folder of its own inside another: made by rank 0, removed with what is in it. Collective; all
// ranks throw Unavailable when it cannot be made.
class SharedFolder {
 public:
  SharedFolder(const parallel::Communicator& ranks, const std::string& parent);
  ~SharedFolder();
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  const parallel::Communicator& ranks_;
  std::string path_;
};

// All ranks throw Unavailable when one of them gives a reason. Collective.
void agree(const parallel::Communicator& ranks, const std::string& reason);

}  // namespace hakaru::probes::files
