// What a rank does when: its time cut into pieces that do not overlap and add up to what
// hakaru_trace_summary counts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "native/trace/reader/trace.hpp"
#include "native/trace/summary/summary.hpp"

namespace hakaru::trace {

inline constexpr std::uint32_t computing = no_call;

struct Piece {
  double begin_s = 0, end_s = 0;   // after the start of the trace
  std::uint32_t call = computing;  // index into Trace::calls
  std::uint16_t phase = schedule::no_phase;
  TimeKind kind = TimeKind::compute;
  const schedule::Operation* operation = nullptr;  // the first of its call; silent calls have none
  std::size_t operations = 0;                      // of its call, where one stream has them all
};

using PieceWork = std::function<void(const Piece&)>;

// In the order in which they begin; a rank that several threads call MPI on computes while one of
// them does, and is in the call that began first while none does. `trace` must have been read with
// its times and those of silent calls.
void each_piece(const Trace& trace, std::size_t rank, const PieceWork& work);

// Of one stream: a rank's own (number = rank) or one that it forks. `silent`: with the rank's
// silent calls, which belong to its own stream.
void each_piece_of_stream(const Trace& trace, std::size_t number,
                          const std::vector<OperationTime>& silent, const PieceWork& work);

}  // namespace hakaru::trace
