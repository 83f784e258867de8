// What ranks did in a replay, as an OTF2 archive in the form that Score-P gives it: read back by
// native/trace/reader, by otf2-print, by any viewer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/schedule/schedule.hpp"

namespace hakaru::trace {

// An operation of a schedule's stream, and when it was done.
struct DoneOperation {
  const schedule::Operation* operation = nullptr;
  double begin_s = 0, end_s = 0;
  std::uint32_t thread = 0;  // 0: of the rank's own stream; else any number, of a forked one
};

struct WrittenArchive {
  std::uint64_t events = 0, bytes = 0;
};

// Throws base::UserError (usage) where something stands that is no archive, (environment) where no
// folder can be made.
void require_archive_place(const std::string& folder);

// `done`: by rank, each thread's in the order of time; `end_s`: when each rank was at its end.
// Computing becomes the time between calls, phases become regions, each call the MPI call that it
// stands for. Times are multiples of 1 ps (of 1 ns beyond 1e6 s).
// The folder is whole or absent: an archive that stands there is replaced when all is written.
// Throws base::UserError (usage) for a folder that is no archive, (environment) when it cannot be
// written.
WrittenArchive write_archive(const schedule::Schedule& schedule,
                             const std::vector<std::vector<DoneOperation>>& done,
                             const std::vector<double>& end_s, const std::string& folder);

}  // namespace hakaru::trace
