// Where files are written: the named folder, memory, and an ext4 of its own on a loop device.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hakaru::probes::formatted_io {

// Something that this place does not allow, with the reason; the rest goes on.
class Unavailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FileSystem {
  std::string name;  // "ext4", "tmpfs" ...; its number where it is none of the usual
  double free_bytes = 0.0;
};
// Throws Unavailable when the folder cannot be asked.
FileSystem file_system_of(const std::string& folder);

// A folder of its own inside another, removed with what is in it. Throws Unavailable when it cannot
// be made.
class Folder {
 public:
  explicit Folder(const std::string& parent);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A file in `folder` with an ext4 in it, mounted beside it in a mount namespace of this process
// alone, so that it is gone with the process whatever ends it; the file has no name once it is
// mounted. Throws Unavailable without the right to mount, without mkfs.ext4, or without room.
class LoopMount {
 public:
  LoopMount(const std::string& folder, std::int64_t bytes);
  ~LoopMount();
  LoopMount(const LoopMount&) = delete;
  LoopMount& operator=(const LoopMount&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Place {
  std::string name;  // "folder", "memory", "loop"
  std::string path;
  FileSystem system;
};

// Writes the file to its device. Seconds; throws Unavailable.
double synchronise(const std::string& path);

}  // namespace hakaru::probes::formatted_io
