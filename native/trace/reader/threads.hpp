// Several threads of a rank that call MPI: which of their calls overlap, and in which order all of
// them are read. Calls that do not overlap have an order, and become one stream. Threads whose
// calls overlap are streams of their own from the first of these calls to the end of the last,
// while they overlap again within polling_gap_s.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <vector>

#include "native/trace/reader/definitions.hpp"

namespace hakaru::trace {

// An MPI call, or the begin or end of a phase, of one thread: the events from `first` to `last` of
// its location, counted from 1.
struct ThreadUnit {
  std::uint64_t enter = 0, leave = 0;  // ticks
  std::uint64_t first = 0, last = 0;
  std::uint32_t thread = 0;  // 0: the rank's own location
  bool call = false;
};

// What one location does, found in a first pass over its events.
struct ThreadScan {
  std::vector<ThreadUnit> units;
  std::uint32_t thread = 0;
  const Region* open = nullptr;  // the call it is in
  bool backwards = false;        // its times go back somewhere

  void enter(std::uint64_t time, std::uint64_t position, const Region& region);
  void leave(std::uint64_t time, std::uint64_t position, const Region& region);

 private:
  void see(std::uint64_t time) {
    backwards |= time < last_;
    last_ = time;
  }

  std::uint32_t nested_ = 0;
  std::uint64_t last_ = 0;
};

// Units [first, end) in their order; `threads` are those that call MPI at once, if any do.
struct ThreadSection {
  std::size_t first = 0, end = 0;
  std::uint64_t begin_time = 0, end_time = 0;
  std::vector<std::uint32_t> threads;
};

// Puts the units of all threads of a rank in order.
std::vector<ThreadSection> find_sections(std::vector<ThreadUnit>& units, std::uint64_t gap);

}  // namespace hakaru::trace
