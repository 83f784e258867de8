// The event files of an archive, one location after the other.
#pragma once

#include <otf2/otf2.h>

#include <exception>

#include "native/trace/reader/rank_builder.hpp"
#include "native/trace/reader/threads.hpp"

namespace hakaru::trace {

// What a callback needs. An exception must not pass through the C library: it waits in `failure`.
struct EventContext {
  Definitions* definitions = nullptr;
  RankBuilder* builder = nullptr;
  ThreadScan* scan = nullptr;
  std::exception_ptr failure;
};

// To be deleted with OTF2_EvtReaderCallbacks_Delete.
OTF2_EvtReaderCallbacks* rank_callbacks();
OTF2_EvtReaderCallbacks* thread_callbacks();  // only find what `scan` keeps

// Reads all events of the location with the callbacks; throws base::UserError when there are fewer
// or more than its definition says.
void read_location(OTF2_Reader* reader, const Location& location,
                   const OTF2_EvtReaderCallbacks* callbacks, EventContext& context);

// Reads a location piece by piece.
class PieceReader {
 public:
  PieceReader(OTF2_Reader* reader, const Location& location);
  ~PieceReader();
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;
  // All events up to that position (from 1 on). Callbacks that are null: they are passed over.
  void read_to(std::uint64_t position, const OTF2_EvtReaderCallbacks* callbacks,
               EventContext& context);

 private:
  OTF2_Reader* reader_;
  OTF2_EvtReader* events_;
  std::uint64_t location_, position_ = 0;
};

}  // namespace hakaru::trace
