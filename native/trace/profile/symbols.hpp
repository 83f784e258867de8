// Addresses of a file into routines and lines, by elfutils' libdw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "native/trace/profile/samples.hpp"

namespace hakaru::trace::profile {

// `line` 0: not known. `inlined`: the routine was expanded where it was called.
struct Frame {
  std::string routine;  // empty: no name covers the address
  std::string source;   // path of the source file, or empty
  int line = 0;
  bool inlined = false;
  auto operator<=>(const Frame&) const = default;
};

enum class Found {
  named,      // with symbols at least
  missing,    // no file by that path
  changed,    // another file than the one that ran: its build id, or size and time, differ
  unreadable  // no ELF file
};

// One file of a process. Names are never taken from a file that is not the one that ran.
class Symbols {
 public:
  explicit Symbols(const Module& module);
  Symbols(Symbols&&) noexcept;
  ~Symbols();

  Found found() const { return found_; }
  // `address`: in the file. The innermost frame first; at least one.
  std::vector<Frame> at(std::uint64_t address) const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
  Found found_;
};

}  // namespace hakaru::trace::profile
