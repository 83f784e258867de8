// What the name of an MPI call says beyond the events inside it.
#pragma once

#include <cstdint>
#include <string_view>

#include "native/schedule/operation.hpp"

namespace hakaru::trace {

enum class CallKind : std::uint8_t {
  other,
  send_receive,  // MPI_Sendrecv and its forms: both messages at once
  environment,  // MPI_Init, MPI_Finalize: no operation even when the trace holds a collective there
  test,         // without success: part of the computation, or of a polling loop (trace.hpp)
  local,        // part of the computation
  fence,
  start,
  post,
  complete,
  wait_exposure,
  lock,
  unlock,
  flush,
  request_rma,  // MPI_Rput and the like
  neighbour,
};

struct Call {
  CallKind kind = CallKind::other;
  schedule::Mode mode = schedule::Mode::standard;  // of sends; local: flush_local
  bool all = false;                                // lock_all, unlock_all, flush_all
};

// Whether a call of this kind that became no operation is counted as computing.
inline bool computes(CallKind kind) { return kind == CallKind::test || kind == CallKind::local; }

// `name` as in the MPI standard ("MPI_Ssend"); unknown names are `other`.
Call classify(std::string_view name);

}  // namespace hakaru::trace
