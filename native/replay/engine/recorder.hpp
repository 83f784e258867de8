// Optional memory of what happened: for timelines and the critical path. Without it the engine only
// tests one pointer.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/engine/result.hpp"

namespace hakaru::replay {

// What ended a wait: something at `time_s` on `rank`, then latency and transmission; the rest of
// the time was contention.
struct Cause {
  std::int32_t rank = -1;
  double time_s = 0;
  double latency_s = 0;
  double bandwidth_s = 0;
  std::uint32_t stretches = UINT32_MAX;  // that `rank` had behind it then, where known
};

class Recorder {
 public:
  Recorder(std::int32_t ranks, std::size_t phases, bool keep, Observers observers)
      : phases_(phases), keep_(keep), observers_(std::move(observers)) {
    if (keep_) lines_.resize(static_cast<std::size_t>(ranks));
  }
  void segment(const Segment& segment, const Cause& cause = {});
  void operation(const OperationTimes& done) {
    if (observers_.operations) observers_.operations(done);
  }
  std::uint32_t stretches(std::int32_t rank) const {
    return keep_ ? static_cast<std::uint32_t>(lines_[static_cast<std::size_t>(rank)].size()) : 0;
  }
  CriticalPath critical_path(std::int32_t last_rank, double finish_s) const;

  // Causes of what is under way, by index of the engine's records.
  std::vector<Cause> of_entry, of_actor, of_request, of_access;
  static Cause& at(std::vector<Cause>& causes, std::uint32_t index) {
    if (index >= causes.size()) causes.resize(index + 1);
    return causes[index];
  }

 private:
  struct Stretch {
    double begin_s;
    double end_s;
    SegmentKind kind;
    std::uint16_t phase;
    Cause cause;
  };
  void add(CriticalPath& path, const Stretch& one, double length, bool follows) const;

  std::size_t phases_;
  bool keep_;
  Observers observers_;
  std::vector<std::vector<Stretch>> lines_;
};

}  // namespace hakaru::replay
