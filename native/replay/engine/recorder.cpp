#include "native/replay/engine/recorder.hpp"

#include <algorithm>

namespace hakaru::replay {

void Recorder::segment(const Segment& segment, const Cause& cause) {
  if (callback_) callback_(segment);
  if (!keep_) return;
  std::vector<Stretch>& line = lines_[static_cast<std::size_t>(segment.rank)];
  line.push_back({segment.begin_s, segment.end_s, segment.kind, segment.phase, cause});
}

// Backwards from the last end: through a rank's own work, and at each wait to what ended it.
CriticalPath Recorder::critical_path(std::int32_t last_rank, double finish_s) const {
  CriticalPath path;
  path.phase_s.assign(phases_ + 1, 0.0);
  std::int32_t rank = last_rank;
  double time = finish_s;
  while (time > 0) {
    const std::vector<Stretch>& line = lines_[static_cast<std::size_t>(rank)];
    // The stretch in which `time` lies: the first that ends at or after it, of those that have a length.
    auto found = std::lower_bound(line.begin(), line.end(), time,
                                  [](const Stretch& one, double t) { return one.end_s < t; });
    if (found == line.end() || found->begin_s >= time) {
      path.contention_s += time;
      path.phase_s.back() += time;
      break;
    }
    const bool follows = found->kind == SegmentKind::waiting && found->cause.rank >= 0 &&
                         found->cause.time_s < time;
    const double begin = follows ? std::max(0.0, found->cause.time_s) : found->begin_s;
    const double length = time - begin;
    path.phase_s[std::min<std::size_t>(found->phase, phases_)] += length;
    if (follows) {
      const double latency = std::min(found->cause.latency_s, length);
      const double bandwidth = std::min(found->cause.bandwidth_s, length - latency);
      path.latency_s += latency;
      path.bandwidth_s += bandwidth;
      path.contention_s += length - latency - bandwidth;
      if (found->cause.rank != rank) ++path.messages;
      rank = found->cause.rank;
    } else if (found->kind == SegmentKind::compute) {
      path.compute_s += length;
    } else if (found->kind == SegmentKind::overhead) {
      path.overhead_s += length;
    } else if (found->kind == SegmentKind::runtime) {
      path.runtime_s += length;
    } else if (found->kind == SegmentKind::file) {
      path.file_s += length;
    } else {
      path.contention_s += length;
    }
    time = begin;
  }
  return path;
}

}  // namespace hakaru::replay
