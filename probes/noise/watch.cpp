#include "probes/noise/watch.hpp"

#include <algorithm>
#include <limits>

#include "native/base/clock.hpp"

namespace hakaru::probes::noise {
namespace {

// netgauge's criterion: the shortest gap has not become shorter for a thousand readings.
double shortest_gap_s() {
  double shortest = std::numeric_limits<double>::infinity(), last = base::now_s();
  for (int unchanged = 0; unchanged < 1000; ++unchanged) {
    const double now = base::now_s();
    if (now - last < shortest) {
      shortest = now - last;
      unchanged = 0;
    }
    last = now;
  }
  return shortest;
}

void turn_away(double seconds) {
  for (const double start = base::now_s(); base::now_s() - start < seconds;) {
  }
}

}  // namespace

Watch watch(double seconds, double least_detour_s, std::size_t room,
            const std::vector<double>& pauses_s, double pause_s) {
  Watch found;
  found.detours.assign(std::max<std::size_t>(room, 1), {});
  found.shortest_gap_s = shortest_gap_s();
  const double longest_free_s = found.shortest_gap_s + least_detour_s;
  std::size_t kept = 0, paused = 0;
  const double start = base::now_s();
  double last = start;
  double pause_at =
      pauses_s.empty() ? std::numeric_limits<double>::infinity() : start + pauses_s[0];
  while (last - start < seconds) {
    if (last >= pause_at) {
      turn_away(pause_s);
      ++paused;
      pause_at = paused < pauses_s.size() ? start + pauses_s[paused]
                                          : std::numeric_limits<double>::infinity();
    }
    const double now = base::now_s();
    if (now - last >= longest_free_s) {
      const double length_s = now - last - found.shortest_gap_s;
      if (kept < room) {
        found.detours[kept++] = {last - start, length_s};
      } else {
        ++found.left_out;
        found.left_out_s += length_s;
      }
    }
    ++found.readings;
    last = now;
  }
  found.detours.resize(kept);
  found.seconds = last - start;
  return found;
}

}  // namespace hakaru::probes::noise
