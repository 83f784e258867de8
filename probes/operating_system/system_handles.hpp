// What the kernel gives, given back: descriptors, processes, mappings, folders.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "probes/operating_system/items.hpp"

namespace hakaru::probes::operating_system {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close();
  int number() const { return number_; }

 private:
  int number_;
};

struct Channel {
  Descriptor read, write;
};

// All of these throw Unavailable.
Channel pipe_channel();
std::pair<Descriptor, Descriptor> unix_pair();
Descriptor opened(const std::string& path, int flags);

// A child process that does `work` and ends with 0; it dies with its parent, and is killed and
// waited for when this goes. `index`: its place among the processes of an item.
class Child {
 public:
  Child(const Conditions& conditions, int index, const std::function<void()>& work);
  Child(Child&& other) noexcept : process_(std::exchange(other.process_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child();

 private:
  pid_t process_;
};

// The calling process where `placement` wants the process of this index; given back at the end.
class Placed {
 public:
  Placed(Placement placement, int index);
  ~Placed();
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

 private:
  struct Before;
  Before* before_ = nullptr;
};

class Mapping {
 public:
  Mapping(std::size_t bytes, int protection, int flags, int descriptor);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

// A folder of its own inside another, removed with all that is in it.
class Folder {
 public:
  explicit Folder(const std::string& parent);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A file of `bytes`, a multiple of 8, whose words of 8 bytes are word_at(0), word_at(1) ...;
// written and flushed.
void write_file(const std::string& path, std::int64_t bytes);
std::uint64_t word_at(std::int64_t index);
// Their sum, modulo 2^64.
std::uint64_t sum_of_words(std::int64_t bytes);

[[noreturn]] void write_failed();
[[noreturn]] void read_failed(ssize_t result);

// The whole of `bytes`; throws Unavailable when the other side ends, fails or says nothing. Inline:
// behind a context switch every page of code costs.
inline void write_all(int descriptor, const void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t now = ::write(descriptor, static_cast<const char*>(data) + done, bytes - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) write_failed();
    done += static_cast<std::size_t>(now);
  }
}

inline void read_all(int descriptor, void* data, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t now = ::read(descriptor, static_cast<char*>(data) + done, bytes - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) read_failed(now);
    done += static_cast<std::size_t>(now);
  }
}

}  // namespace hakaru::probes::operating_system
