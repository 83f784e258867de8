// Locks: each thread takes one, adds to a plain counter, and gives it back.
#pragma once

#include <vector>

#include "probes/sharing/counters.hpp"

namespace hakaru::probes::sharing {

enum class Lock { mutex, spin, ticket, openmp, none };
const char* name_of(Lock lock);
constexpr Lock all_locks[] = {Lock::mutex, Lock::spin, Lock::ticket, Lock::openmp};

// Seconds of one taking and giving back by each of the threads; `wrong`: additions that were lost.
// `none` takes no lock, so that additions are lost where two threads run.
CounterSamples lock_operations(const base::PinnedTeam& team, Lock lock, const Sampling& sampling);

}  // namespace hakaru::probes::sharing
