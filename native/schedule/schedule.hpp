// A schedule: every rank's stream of operations. Said by an app (writer.hpp), read from a file
// (json.hpp) or from a trace (native/trace).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "native/schedule/operation.hpp"

namespace hakaru::schedule {

struct Phase {
  std::string name;
  std::string kind;  // compute, communicate, io, idle
};

// Work counts of one compute operation on one rank; seconds is negative when only a machine can
// say.
struct Work {
  double flops = 0;
  double bytes = 0;                 // loads and stores
  double bytes_write_allocate = 0;  // the same with the read of every written line
  double seconds = -1;
};

// A family of disjoint communicators: what one MPI_Comm_split makes. A rank belongs to at most one
// group of a family, so that ranks which do the same in different groups (rows of a process grid)
// share one stream.
struct CommunicatorFamily {
  std::string name;
  // World ranks of each group, in the order of ranks. Empty for the family `world` (one group of
  // all ranks) and `self`.
  std::vector<std::vector<std::int32_t>> groups;
  bool self = false;             // every rank is a group of its own
  bool created_windows = false;  // of windows in memory that the program gave (MPI_Win_create)
};

using Stream = std::vector<Operation>;

class StreamIndex;  // of streams, works and lists by content; see stream_index.hpp

struct Schedule {
  std::int32_t ranks = 0;
  std::string program;
  std::string description;         // for people: parameters and layout in one line
  std::uint64_t memory_bytes = 0;  // of its own that a rank uses; 0: not known
  double in_large_pages = 0;       // of the bytes of long messages, the share sent from such pages
  std::vector<Phase> phases;
  std::vector<CommunicatorFamily> communicators = {{"world", {}, false}};
  std::vector<Work> works;
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<Stream> streams;                // of the ranks, then of the threads that they fork
  std::vector<std::uint32_t> stream_of_rank;  // ranks entries
  std::shared_ptr<StreamIndex> index;         // made and used by StreamWriter

  const Stream& stream(std::int32_t rank) const {
    return streams[stream_of_rank[static_cast<std::size_t>(rank)]];
  }
};

inline constexpr std::int32_t most_ranks = 1 << 24;
inline constexpr std::int32_t most_requests = 1 << 20;  // request numbers are below
inline constexpr int deepest_loop = 32;
inline constexpr double most_operations = 1e15;  // of one rank, with loops unfolded

// Throws base::UserError (usage) unless indices, peers, loops and requests of every stream are
// within bounds. A schedule that passed is safe to walk without further checks; whether it can
// progress is the replay engine's question. Also demanded:
// - requests: started when free, waited for when started; a loop's body leaves the same requests
// open that it found open.
// - phases: have distinct names; begin and end nest properly, and a loop's body leaves open what it
// found open. What is still open
//   at the end of a stream (requests, phases) is allowed: traces may be cut.
// - communicators: a rank uses only families of which it is a member; its peers and roots are
// members of the same group. A family
//   without groups that is not `self` holds all ranks.
// - threads: fork's stream is no rank's and holds computing, messages, probes, waits, collectives
// and file operations. It has the requests of its rank, which any thread may wait for; what else is
// demanded of requests then shows in a replay only.
// - lists: one length for each rank of the communicator, or (post, start) world ranks.
void validate(const Schedule& schedule);

// Whether `kind` has a peer: everything that goes to or comes from one other rank.
bool has_peer(Kind kind);
// Whether `peer` of a collective is a root.
bool has_root(Collective collective);
// Names in files and messages: "isend", "allreduce", "synchronous".
const char* name_of(Kind kind);
const char* name_of(Collective collective);
const char* name_of(Mode mode);
inline constexpr int kinds = static_cast<int>(Kind::loop_end) + 1;
inline constexpr int collectives = static_cast<int>(Collective::neighbour_exchange) + 1;
inline constexpr int modes = static_cast<int>(Mode::collective) + 1;

// World rank that an operation of `rank` means.
inline std::int32_t peer_of(const Operation& operation, std::int32_t rank, std::int32_t ranks) {
  if (!operation.relative_peer) return operation.peer;
  const std::int64_t sum = static_cast<std::int64_t>(rank) + operation.peer;
  if (sum >= 0 && sum < ranks) [[likely]]
    return static_cast<std::int32_t>(sum);
  return static_cast<std::int32_t>(sum % ranks + (sum % ranks < 0 ? ranks : 0));
}

// Walks one rank's stream with its loops unfolded. Small: an engine keeps one per rank.
class Cursor {
 public:
  // The next operation that is not a loop marker, or nullptr at the end.
  const Operation* next(const Stream& stream) {
    while (position_ < stream.size()) {
      const Operation& operation = stream[position_];
      if (operation.kind < Kind::loop_begin) {
        ++position_;
        return &operation;
      }
      pass(operation);
    }
    return nullptr;
  }
  // For who walks by itself between loop markers: the index of what comes next, and what a marker
  // that stands there makes of it.
  std::uint32_t position() const { return position_; }
  void move_to(std::uint32_t position) { position_ = position; }
  void pass(const Operation& marker) {
    if (marker.kind == Kind::loop_end && left_ > 1) {
      --left_;
      position_ = begin_ + 1;
    } else {
      turn(marker);
    }
  }
  bool at_start() const { return position_ == 0 && left_ == 0; }

 private:
  struct Loop {
    std::uint32_t begin;
    std::uint64_t left;
  };
  // Into a loop, past it, or out of it.
  void turn(const Operation& marker);

  std::uint32_t position_ = 0;
  std::uint32_t begin_ = 0;  // of the innermost loop
  std::uint64_t left_ = 0;   // its rounds, with this one; 0 outside of loops
  std::vector<Loop> outer_;  // the loops around it
};
static_assert(Kind::loop_end > Kind::loop_begin && kinds == static_cast<int>(Kind::loop_end) + 1);

}  // namespace hakaru::schedule
