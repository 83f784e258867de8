// What is kept of a replay while it runs: a line for each stretch of time, an archive.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "native/replay/engine/result.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

class Recording {
 public:
  // `timeline`: a CSV file; `archive`: the folder of an OTF2 archive; empty: not wanted. Throws
  // UserError where they cannot be written, before anything is replayed.
  Recording(const schedule::Schedule& schedule, std::string timeline, std::string archive);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Observers observers();
  // When all is done.
  void write(const Result& result);

 private:
  struct Kept;
  const schedule::Schedule& schedule_;
  std::string timeline_, archive_;
  std::unique_ptr<Kept> kept_;
};

}  // namespace hakaru::replay
