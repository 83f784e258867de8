// A schedule: every rank's stream of operations. Built by an app (writer.hpp), read from a file (json.hpp) or from a trace (native/trace).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/schedule/operation.hpp"

namespace hakaru::schedule {

struct Phase {
  std::string name;
  std::string kind;  // compute, communicate, io, idle
};

// Work counts of one compute operation on one rank; seconds is negative when only a machine can say.
struct Work {
  double flops = 0;
  double bytes = 0;                 // loads and stores
  double bytes_write_allocate = 0;  // the same with the read of every written line
  double seconds = -1;
};

// A family of disjoint communicators: what one MPI_Comm_split makes. A rank belongs to at most one group of a family, so that ranks
// which do the same in different groups (rows of a process grid) share one stream.
struct CommunicatorFamily {
  std::string name;
  // World ranks of each group, in the order of ranks. Empty for the family `world` (one group of all ranks) and `self`.
  std::vector<std::vector<std::int32_t>> groups;
  bool self = false;  // every rank is a group of its own
};

using Stream = std::vector<Operation>;

struct Schedule {
  std::int32_t ranks = 0;
  std::string program;
  std::vector<Phase> phases;
  std::vector<CommunicatorFamily> communicators = {{"world", {}, false}};
  std::vector<Work> works;
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<Stream> streams;
  std::vector<std::uint32_t> stream_of_rank;  // ranks entries

  const Stream& stream(std::int32_t rank) const { return streams[stream_of_rank[static_cast<std::size_t>(rank)]]; }
};

// Throws base::UserError (usage) unless indices, peers, loops and requests of every stream are within bounds. A schedule that passed is safe
// to walk without further checks; whether it can progress is the replay engine's question.
void validate(const Schedule& schedule);

// World rank that an operation of `rank` means.
inline std::int32_t peer_of(const Operation& operation, std::int32_t rank, std::int32_t ranks) {
  if (!operation.relative_peer) return operation.peer;
  const std::int64_t sum = static_cast<std::int64_t>(rank) + operation.peer;
  return static_cast<std::int32_t>(sum % ranks + (sum % ranks < 0 ? ranks : 0));
}

// Walks one rank's stream with its loops unfolded. Small: an engine keeps one per rank.
class Cursor {
 public:
  // The next operation that is not a loop marker, or nullptr at the end.
  const Operation* next(const Stream& stream);
  bool at_start() const { return position_ == 0 && loops_.empty(); }

 private:
  struct Loop {
    std::uint32_t begin;
    std::uint64_t left;
  };
  std::uint32_t position_ = 0;
  std::vector<Loop> loops_;  // empty, and without memory, outside of loops
};

}  // namespace hakaru::schedule
