// A trace in the formats of other viewers. One file (or folder of files) that is whole or absent.
#pragma once

#include <cstdint>
#include <string>

#include "native/trace/timeline/pieces.hpp"

namespace hakaru::trace {

// What was written.
struct Exported {
  std::uint64_t calls = 0;     // of MPI (and of files outside MPI)
  std::uint64_t bursts = 0;    // of computing, between calls
  std::uint64_t messages = 0;  // whose two ends are in the trace
  std::uint64_t phases = 0;    // times that a rank was in one
  std::uint64_t bytes = 0;     // of the files
};

// `trace` must have been read with its times and those of silent calls. All throw base::UserError
// (environment) when `path` cannot be written; nothing is left then, and what was there stays.

// The JSON of Chrome's trace viewer, which Perfetto (ui.perfetto.dev) reads: a process for each
// rank, slices for phases, calls and computing, arrows for messages. Times in us.
Exported export_perfetto(const Trace& trace, const std::string& path);

// Paraver: `path` is the .prv; .pcf (names, colours) and .row (labels) come beside it. Times in ns.
Exported export_paraver(const Trace& trace, const std::string& path);

// A line for each call, burst, phase and message. Times in s.
Exported export_csv(const Trace& trace, const std::string& path);

}  // namespace hakaru::trace
