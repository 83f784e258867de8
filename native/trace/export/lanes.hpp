// The streams of a rank as threads: its own is thread 0, those that it forks take the lowest number
// that is free while they run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "native/trace/timeline/pieces.hpp"

namespace hakaru::trace {

struct Lane {
  std::size_t stream = 0;  // index into Schedule::streams
  std::size_t thread = 0;
};

// The rank's own first.
std::vector<Lane> lanes_of(const Trace& trace, std::size_t rank);

// Pieces of a lane.
void each_piece_of_lane(const Trace& trace, std::size_t rank, const Lane& lane,
                        const PieceWork& work);

// A phase that a lane's stream was in.
struct PhaseSpan {
  double begin_s = 0, end_s = 0;
  std::uint16_t phase = 0;
};

// Outer ones before inner ones that begin with them.
std::vector<PhaseSpan> phases_of(const Trace& trace, const Lane& lane);

// Peer, tag and bytes of a call: of its first message, and the sum of its bytes. -1: it has none.
struct Transfer {
  std::int64_t peer = -1, tag = -1;
  std::uint64_t bytes = 0;
};
Transfer transfer_of(const Piece& piece);

std::string name_of(const Trace& trace, const Piece& piece);

// Every message whose two ends are in the trace.
std::vector<Message> messages_of(const Trace& trace);

}  // namespace hakaru::trace
