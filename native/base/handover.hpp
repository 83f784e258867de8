// How long a write of one core takes to be seen by another.
//
// Virtual cores are moved. Two within one last-level cache see each other's writes soon and share
// the way from it to memory; two of different caches do not: 40 ns and 64 GB/s, 190 ns and 103 GB/s
// (AMD EPYC, Zen 5). So it tells in which of such states the machine was.
#pragma once

namespace hakaru::base {

inline constexpr int handover_trains = 5, handover_trips = 50;

// One way between the first and the last thread of an OpenMP team of this size, which have
// processors of their own: in s, of the shortest train of round trips. 0 for one thread.
double handover_of_threads_s(int threads);

}  // namespace hakaru::base
