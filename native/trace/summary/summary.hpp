// What a trace says at once: where time went, who talked to whom, who waited for whom.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "native/trace/reader/trace.hpp"
#include "native/trace/summary/span.hpp"

namespace hakaru::trace {

enum class TimeKind : std::uint8_t {
  compute,
  point_to_point,
  collective,
  one_sided,
  io,
  wait,
  other,
  environment,  // MPI_Init and MPI_Finalize: no part of the run time
};
inline constexpr std::array time_kinds = {"compute", "point_to_point", "collective", "one_sided",
                                          "io",      "wait",           "other",      "environment"};
using TimeByKind = std::array<double, time_kinds.size()>;  // s

struct CallTotal {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  // of messages and remote accesses; of collectives what this rank
                            // contributes, see schedule::Operation
  double seconds = 0;
};

struct PhaseTotal {
  double sum_s = 0, max_s = 0;  // over ranks, without inner phases
  TimeByKind kinds{};           // over all ranks
};

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct Waiting {
  std::uint64_t count = 0;
  double seconds = 0;
};

// Waiting by the names of the two calls (who was late, who waited), and by the rank that waited.
struct WaitingByCall {
  std::map<std::pair<std::string, std::string>, Waiting> by_calls;
  std::vector<double> by_rank;
  double total_s() const;
};

// Efficiencies after POP (pop-coe.eu): load balance = mean / max of the time spent computing;
// communication efficiency = that maximum over the run time; parallel efficiency = their product.
// MPI_Init and MPI_Finalize are no part of the run time; between marks it is the longest span.
struct Efficiencies {
  double runtime_s = 0;
  double load_balance = 0, communication = 0, parallel = 0;
};

// What ended the wait of an operation: `rank` did its part at `time_s`.
struct Cause {
  std::int32_t rank = -1;
  double time_s = 0;

  void later(std::int32_t other, double at_s) {
    if (rank < 0 || at_s > time_s) rank = other, time_s = at_s;
  }
};

// A stretch of the critical path on one rank.
struct PathPiece {
  std::int32_t rank = 0;
  double begin_s = 0, end_s = 0;
};

// Of the run as it was, s; the sum of `kinds` is its length.
struct CriticalPath {
  std::vector<PathPiece> pieces;  // backwards in time; their lengths add up to that of `kinds`
  TimeByKind kinds{};
  std::map<std::string, double> calls, phases;
  std::uint64_t messages = 0;  // times that the path changes rank
};

struct Summary {
  std::vector<Span> spans;  // of each rank
  Marks marks;
  std::vector<TimeByKind> ranks;
  std::map<std::string, CallTotal> calls;
  std::map<std::string, PhaseTotal> phases;  // "" is outside of all
  std::int32_t block = 1;                    // ranks of one row of the matrix
  std::map<std::pair<std::int32_t, std::int32_t>, Traffic>
      matrix;                  // (from, to) in blocks; without the traffic inside collectives
  WaitingByCall late_senders;  // a receive or its wait was entered before the matching send began
  WaitingByCall
      late_receivers;  // a send, or its wait, did not return before the matching receive was posted
  std::map<std::string, Waiting> collectives;  // from own arrival to the last one's
  std::vector<double> collective_wait_of_rank;
  std::uint64_t unmatched_sends = 0, unmatched_receives = 0;
  Efficiencies efficiencies;
  std::unordered_map<const OperationTime*, Cause> causes;  // of waits, by the operation's time
  CriticalPath critical_path;
};

// A message whose two ends were found: posted by its sender, and there when the receiving call, or
// the wait for its request, returned.
struct Message {
  std::int32_t from = 0, to = 0, tag = 0;
  std::uint64_t bytes = 0;
  double sent_s = 0, received_s = 0;
};

enum class WaitKind : std::uint8_t { late_sender, late_receiver, collective };

// What one rank waited for another, as the sums of Summary count it.
struct Wait {
  std::int32_t rank = 0, late_rank = 0;
  double begin_s = 0, seconds = 0;
  std::uint32_t call = no_call;  // that waited
  WaitKind kind = WaitKind::late_sender;
};

// Is told of single messages and waits, of which a summary keeps sums.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void message(const Message& message) = 0;
  virtual void wait(const Wait& wait) = 0;
};

using TimedOperation = std::pair<const schedule::Operation*, const OperationTime*>;
std::vector<TimedOperation> merged_operations(const Trace& trace, std::size_t rank);

// `trace` must have been read with its times, for marks with those of silent calls too.
Summary summarise(const Trace& trace, const Marks& marks = {}, std::int32_t most_blocks = 64,
                  Listener* listener = nullptr);

TimeKind kind_of(const schedule::Operation& operation);

// A rank's operations and their times. Those of several threads: in the order in which they began,
// without the forks and their waits.
template <typename Work>
void each_operation(const Trace& trace, std::size_t rank, Work&& work) {
  if (trace.ranks[rank].threads > 0) {
    for (const auto& [operation, time] : merged_operations(trace, rank)) work(*operation, *time);
    return;
  }
  const schedule::Stream& stream = trace.schedule.streams[rank];
  for (std::size_t i = 0; i < stream.size(); ++i) work(stream[i], trace.times[rank][i]);
}

// Parts of it.
void match_messages(const Trace& trace, Summary& summary, Listener* listener);
void match_collectives(const Trace& trace, Summary& summary, Listener* listener);
void find_critical_path(const Trace& trace, Summary& summary);

// Everything, as the JSON object of --json.
std::string as_json(const Trace& trace, const Summary& summary);
std::string as_text(const Trace& trace, const Summary& summary);

}  // namespace hakaru::trace
