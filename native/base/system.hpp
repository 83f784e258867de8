// Facts about the host that a process can read for itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/base/json_forward.hpp"

namespace hakaru::base {

struct CacheLevel {
  int level;
  std::string type;  // Data, Instruction or Unified
  std::int64_t bytes;
  int shared_by;  // processors that share it
};

// Without its end of line; "" when the file cannot be read.
std::string first_line(const std::string& path);
std::string host_name();
// Data and unified caches of processor 0 as the kernel reports them, smallest level first; empty
// when it does not.
std::vector<CacheLevel> caches();
// Bytes of the largest cache of the first two levels that the threads of processor 0's core have
// for themselves; 1 MiB when unknown.
std::int64_t own_cache_bytes();
// Bytes of the largest cache level times the number of its instances, or 0 when unknown.
std::int64_t last_level_cache_bytes();
// From now on last_level_cache_bytes() is 1: who asks chooses as for data that fit no cache.
void take_caches_for_full();
// Hardware threads that run, and the cores that they belong to; as many of both where the kernel
// does not say which share a core. An offline processor has no topology.
int online_processors();
int online_cores(const std::string& folder = "/sys/devices/system/cpu");
// Part of `workers` (ranks x threads) that one host holds where hosts are filled, at most 1.
double host_share(std::int64_t workers);
// Bytes that a new program may use: MemAvailable, or less when the cgroup allows less.
double available_memory_bytes();
// Seconds that the hypervisor gave to others since boot, over all processors.
double steal_seconds();
double load_average();

// CPU model, kernel, caches, compiler and its flags, environment variables that matter.
json environment();

}  // namespace hakaru::base
