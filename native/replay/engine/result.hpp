// What a replay gives. Seconds and bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "native/replay/engine/large_pages.hpp"
#include "native/schedule/operation.hpp"

namespace hakaru::replay {

// The parts add up to finish_s.
struct RankResult {
  double finish_s = 0;
  double compute_s = 0;
  double overhead_s = 0;  // CPU time of sends, receives and one-sided calls of the program
  double runtime_s =
      0;  // CPU time inside collectives: their overheads and reductions; prices of measured ones
  double waiting_s = 0;
  double file_s = 0;
  std::uint64_t messages = 0;  // sent, those inside collectives included
  std::uint64_t bytes = 0;
};

struct Spread {
  double minimum = 0;
  double mean = 0;
  double maximum = 0;
};

struct PhaseResult {
  std::string name;
  std::string kind;
  Spread seconds;  // over ranks
};

// A stretch of one rank's time, for a timeline.
enum class SegmentKind : std::uint8_t { compute, overhead, runtime, waiting, file };

// The part of a rank's result that time of a kind belongs to.
inline double& part_of(RankResult& rank, SegmentKind kind) {
  switch (kind) {
    case SegmentKind::compute:
      return rank.compute_s;
    case SegmentKind::overhead:
      return rank.overhead_s;
    case SegmentKind::runtime:
      return rank.runtime_s;
    case SegmentKind::waiting:
      return rank.waiting_s;
    case SegmentKind::file:
      return rank.file_s;
  }
  return rank.waiting_s;
}

struct Segment {
  std::int32_t rank;
  SegmentKind kind;
  std::uint16_t phase;
  double begin_s;
  double end_s;
};

// Shares of the longest chain of dependences; their sum is the makespan.
struct CriticalPath {
  double compute_s = 0;
  double overhead_s = 0;
  double runtime_s = 0;
  double file_s = 0;
  double latency_s = 0;
  double bandwidth_s = 0;
  double contention_s = 0;      // waiting for a NIC or a link, and what no other kind explains
  std::vector<double> phase_s;  // by phase of the schedule; the last entry is outside of phases
  std::uint64_t messages = 0;   // times the path changes rank
};

struct Result {
  double makespan_s = 0;
  std::vector<RankResult, LargePages<RankResult>> ranks;
  std::vector<PhaseResult> phases;  // the last one, "other", is outside of phases
  std::vector<double> phase_s;      // [rank][phase], phases + 1 columns; empty without phases
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::string engine;
  bool has_critical_path = false;
  CriticalPath critical_path;
};

using SegmentCallback = std::function<void(const Segment&)>;

// An operation that was done, for an archive of the replay.
struct OperationTimes {
  const schedule::Operation* operation;
  double begin_s;
  double end_s;
  std::int32_t rank;
  std::uint32_t thread;  // 0: of the rank's own stream; those that it forks have other numbers
};

using OperationCallback = std::function<void(const OperationTimes&)>;

// Who wants to know what happens while it does; nobody costs nothing.
struct Observers {
  SegmentCallback segments;
  OperationCallback operations;
};

}  // namespace hakaru::replay
