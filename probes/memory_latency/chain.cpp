#include "probes/memory_latency/chain.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace hakaru::probes::memory_latency {
namespace {

std::vector<std::uint32_t> ascending(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

}  // namespace

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::random_local:
      return "random_local";
    case Pattern::random:
      return "random";
    case Pattern::sequential:
      return "sequential";
  }
  return "";
}

void** link(std::byte* memory, const ChainShape& shape, std::mt19937_64& random) {
  const std::size_t per_window =
      shape.pattern == Pattern::random
          ? shape.slots
          : std::max<std::size_t>(shape.window_bytes / shape.stride_bytes, 1);
  const bool shuffled = shape.pattern != Pattern::sequential;
  std::vector<std::uint32_t> window_order = ascending((shape.slots + per_window - 1) / per_window);
  if (shuffled) std::shuffle(window_order.begin(), window_order.end(), random);

  void** first = nullptr;
  void** previous = nullptr;
  for (const std::size_t window : window_order) {
    const std::size_t begin = window * per_window;
    std::vector<std::uint32_t> slots = ascending(std::min(per_window, shape.slots - begin));
    if (shuffled) std::shuffle(slots.begin(), slots.end(), random);
    for (const std::size_t slot : slots) {
      auto* here = reinterpret_cast<void**>(memory + (begin + slot) * shape.stride_bytes);
      if (previous)
        *previous = here;
      else
        first = here;
      previous = here;
    }
  }
  *previous = first;
  return first;
}

std::size_t cycle_length(void* const* start, std::size_t limit) {
  void* const* here = start;
  for (std::size_t loads = 1; loads <= limit; ++loads) {
    here = static_cast<void* const*>(*here);
    if (here == start) return loads;
  }
  return limit + 1;
}

void cut_out_one_slot(void** start) { *start = *static_cast<void**>(*start); }

// Prefetchers watch each load instruction's own stride up to 2 KiB: a hundred of them have none, as
// lmbench's; sixteen see 2 KiB along a chain of 128 B and fetch what nobody wants (1 ns a load).
void** chase(void** start, std::size_t loads) {
  constexpr std::size_t instructions = 100;
  void** p = start;
  for (; loads >= instructions; loads -= instructions) {
#pragma GCC unroll 100
    for (std::size_t k = 0; k < instructions; ++k) p = static_cast<void**>(*p);
    asm volatile("" : "+r"(p));
  }
  for (; loads > 0; --loads) p = static_cast<void**>(*p);
  return p;
}

}  // namespace hakaru::probes::memory_latency
