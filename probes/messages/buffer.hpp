// Memory of messages, in pages as programs get them that do not ask: what maps page by page takes
// 83 us for the all-to-all of 512 KiB in base pages and 33 in huge ones (Open MPI 4.1, AMD EPYC,
// Zen 5). It begins as long arrays of glibc's malloc do, 16 B into a page: messages of programs
// seldom begin with one, and what maps or copies page by page touches one page more for them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "native/base/aligned.hpp"

namespace hakaru::probes::messages {

class Buffer {
 public:
  Buffer() = default;
  // Throws std::bad_alloc.
  Buffer(std::size_t bytes, char value, base::Pages pages = base::Pages::as_given)
      : memory_(into_page + bytes, pages) {
    std::fill(memory_.begin(), memory_.end(), value);
  }

  char* data() { return memory_.data() + into_page; }
  const char* data() const { return memory_.data() + into_page; }
  std::size_t size() const { return memory_.size() < into_page ? 0 : memory_.size() - into_page; }
  char& operator[](std::size_t i) { return data()[i]; }
  char* begin() { return data(); }
  char* end() { return memory_.end(); }

 private:
  static constexpr std::size_t into_page = 16;
  base::AlignedArray<char> memory_;
};

}  // namespace hakaru::probes::messages
