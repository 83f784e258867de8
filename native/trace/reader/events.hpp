// The event files of an archive, one location after the other.
#pragma once

#include <otf2/otf2.h>

#include <exception>

#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

// What a callback needs. An exception must not pass through the C library: it waits in `failure`.
struct EventContext {
  Definitions* definitions = nullptr;
  RankBuilder* builder = nullptr;
  bool mpi_seen = false;  // on a location that is no rank
  std::exception_ptr failure;
};

// To be deleted with OTF2_EvtReaderCallbacks_Delete.
OTF2_EvtReaderCallbacks* rank_callbacks();
OTF2_EvtReaderCallbacks* thread_callbacks();  // only notice MPI

// Reads all events of the location with the callbacks; throws base::UserError when there are fewer
// or more than its definition says.
void read_location(OTF2_Reader* reader, const Location& location,
                   const OTF2_EvtReaderCallbacks* callbacks, EventContext& context);

}  // namespace hakaru::trace
