// What a timeline shows, small enough to be opened at once: levels of detail, messages, waits,
// histograms, the critical path. As the JSON document schema/timeline.schema.json.
#pragma once

#include <nlohmann/json.hpp>

#include "native/trace/summary/summary.hpp"

namespace hakaru::trace {

// How much a document holds at most.
struct Limits {
  std::size_t rows = 1024;        // more ranks share rows
  std::size_t cells = 1'500'000;  // of the finest level
  std::size_t bins = 65536;       // of a row
  std::size_t pieces = 150'000;   // more are only told by levels
  std::size_t messages = 40'000;  // entries of all tiles
  std::size_t stays = 20'000;     // of the critical path
  std::size_t waits = 24;         // the longest ones
  std::size_t longest = 8;        // occurrences of each state
};

// The part of the run that is shown, s after the start of the trace; where it says nothing, all
// between MPI_Init and MPI_Finalize.
struct Window {
  double from_s = -1e300, to_s = 1e300;
};

// `trace` must have been read with its times and those of silent calls. Throws base::UserError when
// nothing of the trace lies in the window.
nlohmann::json timeline(const Trace& trace, const Window& window = {}, const Limits& limits = {});

}  // namespace hakaru::trace
