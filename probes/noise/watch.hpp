// A loop that does nothing but read the clock: what keeps it from doing so is a detour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hakaru::probes::noise {

// One interruption, in seconds since the watch began.
struct Detour {
  double start_s;
  double length_s;  // the gap between two readings, less the shortest gap
};

struct Watch {
  double seconds = 0.0;         // how long it lasted
  double shortest_gap_s = 0.0;  // between two readings of the clock
  std::int64_t readings = 0;
  std::int64_t left_out = 0;    // detours beyond the room for them
  double left_out_s = 0.0;      // what those took
  std::vector<Detour> detours;  // those of at least the least length, in order
};

// Reads the clock for `seconds` on the calling thread and keeps gaps that are at least
// `least_detour_s` longer than the shortest gap of a short run before. `room`: detours kept at
// most; the memory is touched beforehand. At each of `pauses_s`, seconds after the beginning, the
// loop itself turns away for `pause_s`: detours whose truth is known.
Watch watch(double seconds, double least_detour_s, std::size_t room,
            const std::vector<double>& pauses_s = {}, double pause_s = 0.0);

}  // namespace hakaru::probes::noise
