// A chain of pointers through memory: each load gives the address of the next, so that no two loads
// overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace hakaru::probes::memory_latency {

// Order in which the slots are visited.
// `random_local`: windows of a few pages in random order, and the slots of a window in random order
// before the next is entered: a prefetcher finds no stride, and the pages in use fit the first
// translation buffer (as lat_mem_rd -t of lmbench, with wider windows). `random`: all slots in
// random order; far beyond the reach of the translation buffers a load includes a page walk.
// `sequential`: ascending addresses, as plain lat_mem_rd; what prefetchers help with.
enum class Pattern { random_local, random, sequential };

const char* name_of(Pattern pattern);

struct ChainShape {
  std::size_t slots;         // >= 1
  std::size_t stride_bytes;  // between slots, a multiple of the size of a pointer
  std::size_t window_bytes;  // of `random_local`
  Pattern pattern;
};

// Links slots * stride_bytes bytes at `memory` into one cycle and returns where it starts.
void** link(std::byte* memory, const ChainShape& shape, std::mt19937_64& random);

// Loads until the walk is back at `start`, at most `limit`; limit + 1 when it has not come back by
// then.
std::size_t cycle_length(void* const* start, std::size_t limit);

// Makes the chain skip one slot, which leaves a cycle that is too short (for slots >= 2).
void cut_out_one_slot(void** start);

// Follows `loads` pointers and returns where it came to.
void** chase(void** start, std::size_t loads);

}  // namespace hakaru::probes::memory_latency
