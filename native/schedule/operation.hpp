// What one rank does, in order: the operations of a schedule. 40 bytes each, so that a trace of
// millions stays in memory.
#pragma once

#include <cstdint>

namespace hakaru::schedule {

enum class Kind : std::uint8_t {
  compute,   // work of its own: `seconds`, or counts in Schedule::works[payload] when payload >= 0
  send,      // blocking; returns when the buffer may be reused
  receive,   // blocking
  isend,     // starts; completes at the wait for `request`
  ireceive,  //
  probe,     // until a matching message could be received; takes nothing
  wait,      // until `request` is complete
  collective,  // see `collective`; blocking when request < 0, else it starts and completes at the
               // wait for `request`
  put,  // one-sided, to `peer`'s window; completes at the next synchronisation, or at the wait for
        // `request` when request >= 0. Raises flag `tag` (> 0) where the data come to, when they
        // are there. Payload list, if any: {flag raised where they leave, when they have left
        // (0: none); items of a strided transfer (0: contiguous)}
  get,  //
  accumulate,  //
  fence,  // MPI_Win_fence: all ranks of the window's communicator; everything put or got before it
          // is complete after it
  post,   // MPI_Win_post: exposes to the ranks in the payload list
  start,  // MPI_Win_start: access epoch to the ranks in the payload list
  complete,       // MPI_Win_complete: ends the access epoch
  wait_exposure,  // MPI_Win_wait: ends the exposure epoch
  lock,           // MPI_Win_lock or lock_all (peer < 0)
  unlock,         // completes all operations to `peer` (all when peer < 0), here and there
  flush,          // the same without ending the epoch; mode = local for flush_local
  flag_wait,      // until flag `tag` of this rank has been raised `bytes` times more than all its
                  // waits before asked for
  file_read,      // mode = collective when all ranks of the communicator call it
  file_write,     //
  file_open,      // metadata operation
  file_close,     //
  fork,           // another thread of this rank calls MPI beside it: Schedule::streams[payload],
                  // with the rank's requests; its end completes `request`
  phase_begin,    // of `phase`, where a trace or an app marks it
  phase_end,      //
  loop_begin,     // the operations up to the loop_end at index `payload` are done `bytes` times
  loop_end,       // payload = index of its loop_begin
};

enum class Collective : std::uint8_t {
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  exclusive_scan,
  neighbour_exchange,  // allgather or alltoall over a graph or grid: payload list holds
                       // (destination, bytes) pairs, then (source, bytes)
};

enum class Mode : std::uint8_t { standard, buffered, synchronous, ready, local, collective };

inline constexpr std::uint32_t world = 0;  // the communicator family of all ranks
inline constexpr std::int32_t no_request = -1;
inline constexpr std::int32_t no_payload = -1;
inline constexpr std::uint16_t no_phase = 0xffff;

struct Operation {
  Kind kind = Kind::compute;
  Mode mode = Mode::standard;
  Collective collective = Collective::barrier;
  // A peer is `rank + peer` modulo the number of ranks, so that ranks that do the same share one
  // stream.
  bool relative_peer = false;
  std::uint16_t phase = no_phase;  // index into Schedule::phases
  bool grid = false;               // of a neighbour_exchange: its topology is Cartesian
  bool persistent = false;         // of an isend: its request was made before (MPI_Send_init)
  // Destination or source as a WORLD rank (source: the actual one, also of wildcards); root of a
  // collective, as a rank of its communicator; or -1.
  std::int32_t peer = -1;
  // Compute, where a trace is read as the run was traced: ns of it that were the tracer's.
  std::int32_t tag = 0;
  std::uint32_t communicator =
      world;  // index into Schedule::communicators (a family, see there), or of the window or file
  std::int32_t request = no_request;  // chosen by the rank; may be reused after its wait
  // Index into Schedule::works (compute), Schedule::lists (collectives, post, start), or operations
  // (loops). Messages: mean bytes of the pieces with gaps between them that the data lie in here,
  // so that they are packed or unpacked; no_payload: they have no gaps.
  std::int32_t payload = no_payload;
  // Compute: how cold it left the caches, as how much longer the tracer's reading of some lines
  // took (native/trace/caches.h); below 0: not known, or too short to be asked.
  float cold_s = -1;
  union {
    // Message length. Collectives: bytes this rank contributes to ONE partner (alltoall, scatter,
    // gather, allgather) or the vector's length (broadcast, reduce, allreduce, scan,
    // reduce_scatter: length of the input). With a payload list: per-partner lengths.
    std::uint64_t bytes = 0;
    double seconds;  // compute without work counts: measured duration
  };
};
static_assert(sizeof(Operation) == 40);

// Whether the data of a message are packed, or unpacked, here.
inline bool has_gaps(const Operation& message) { return message.payload != no_payload; }

}  // namespace hakaru::schedule
