#include "native/replay/engine/recorder.hpp"

#include <algorithm>

namespace hakaru::replay {

void Recorder::segment(const Segment& segment, const Cause& cause) {
  if (observers_.segments) observers_.segments(segment);
  if (!keep_) return;
  std::vector<Stretch>& line = lines_[static_cast<std::size_t>(segment.rank)];
  line.push_back({segment.begin_s, segment.end_s, segment.kind, segment.phase, cause});
}

// Backwards from the last end: through a rank's own work, and at each wait to what ended it. No
// stretch is visited twice, also where everything happens at one time.
CriticalPath Recorder::critical_path(std::int32_t last_rank, double finish_s) const {
  CriticalPath path;
  path.phase_s.assign(phases_ + 1, 0.0);
  std::vector<std::uint32_t> unvisited(lines_.size(), UINT32_MAX);
  std::int32_t rank = last_rank;
  std::uint32_t limit = UINT32_MAX;
  double time = finish_s;
  while (time > 0) {
    const std::vector<Stretch>& line = lines_[static_cast<std::size_t>(rank)];
    std::uint32_t& bound = unvisited[static_cast<std::size_t>(rank)];
    const auto later =
        std::lower_bound(line.begin(), line.end(), time,
                         [](const Stretch& one, double t) { return one.begin_s < t; });
    bound = std::min({bound, limit, static_cast<std::uint32_t>(later - line.begin())});
    if (bound == 0) {
      path.contention_s += time;
      path.phase_s.back() += time;
      break;
    }
    const Stretch& one = line[--bound];
    if (one.end_s < time) {
      path.contention_s += time - one.end_s;
      path.phase_s.back() += time - one.end_s;
      time = one.end_s;
    }
    const bool follows =
        one.kind == SegmentKind::waiting && one.cause.rank >= 0 && one.cause.time_s <= time;
    const double begin = follows ? std::max(0.0, one.cause.time_s) : one.begin_s;
    add(path, one, time - begin, follows);
    limit = UINT32_MAX;
    if (follows) {
      if (one.cause.rank != rank) ++path.messages;
      rank = one.cause.rank;
      limit = one.cause.stretches;
    }
    time = begin;
  }
  return path;
}

void Recorder::add(CriticalPath& path, const Stretch& one, double length, bool follows) const {
  path.phase_s[std::min<std::size_t>(one.phase, phases_)] += length;
  if (follows) {
    const double latency = std::min(one.cause.latency_s, length);
    const double bandwidth = std::min(one.cause.bandwidth_s, length - latency);
    path.latency_s += latency;
    path.bandwidth_s += bandwidth;
    path.contention_s += length - latency - bandwidth;
    return;
  }
  switch (one.kind) {
    case SegmentKind::compute:
      path.compute_s += length;
      return;
    case SegmentKind::overhead:
      path.overhead_s += length;
      return;
    case SegmentKind::runtime:
      path.runtime_s += length;
      return;
    case SegmentKind::file:
      path.file_s += length;
      return;
    case SegmentKind::waiting:
      path.contention_s += length;
      return;
  }
}

}  // namespace hakaru::replay
