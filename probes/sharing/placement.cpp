#include "probes/sharing/placement.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <random>

#include "native/base/aligned.hpp"
#include "native/base/require.hpp"
#include "probes/memory_latency/chain.hpp"

namespace hakaru::probes::sharing {
namespace {

constexpr std::size_t line_bytes = 64, loads_of_one = 1024, page_bytes = 4096;

class Nodes {
 public:
  Nodes() : set_(hwloc_bitmap_alloc()) {}
  ~Nodes() { hwloc_bitmap_free(set_); }
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;
  hwloc_bitmap_t get() const { return set_; }

 private:
  hwloc_bitmap_t set_;
};

hwloc_membind_policy_t policy_of(Policy policy) {
  switch (policy) {
    case Policy::bind:
      return HWLOC_MEMBIND_BIND;
    case Policy::interleaved:
      return HWLOC_MEMBIND_INTERLEAVE;
    default:
      return HWLOC_MEMBIND_FIRSTTOUCH;
  }
}

void bind(const Topology& topology, const Placed& placed, std::byte* memory, std::size_t bytes) {
  const Nodes wanted;
  for (int node : topology.nodes())
    if (placed.node < 0 || node == placed.node)
      hwloc_bitmap_set(wanted.get(), static_cast<unsigned>(node));
  const int done = hwloc_set_area_membind(topology.get(), memory, bytes, wanted.get(),
                                          policy_of(placed.policy), HWLOC_MEMBIND_BYNODESET);
  // One node leaves nothing to choose, so that a kernel without policies does no harm.
  base::require_environment(done == 0 || topology.nodes().size() < 2,
                            fmt::format("memory cannot be placed ({})", name_of(placed.policy)),
                            std::strerror(errno), "see whether mbind is allowed here");
}

// The node of most of a sample of pages.
void see(const Topology& topology, std::byte* memory, std::size_t bytes, PlacementSamples& found) {
  constexpr std::size_t most_pages = 256;
  const std::size_t step = std::max(page_bytes, bytes / most_pages / page_bytes * page_bytes);
  std::map<int, int> pages;
  int asked = 0;
  for (std::size_t at = 0; at < bytes; at += step, ++asked) {
    const Nodes where;
    if (hwloc_get_area_memlocation(topology.get(), memory + at, 1, where.get(),
                                   HWLOC_MEMBIND_BYNODESET) == 0)
      ++pages[hwloc_bitmap_first(where.get())];
  }
  for (const auto& [node, number] : pages)
    if (number > found.share * asked) {
      found.seen_node = node;
      found.share = static_cast<double>(number) / asked;
    }
}

std::uint64_t sum_of(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace

const char* name_of(Policy policy) {
  switch (policy) {
    case Policy::bind:
      return "bind";
    case Policy::interleaved:
      return "interleaved";
    default:
      return "first_touch";
  }
}

std::vector<Placed> plan(const Topology& topology, const std::vector<int>& processors) {
  std::vector<Placed> found;
  for (int processor : processors)
    for (int node : topology.nodes()) found.push_back({processor, node, Policy::bind});
  for (int processor : one_of_each_node(topology, processors))
    for (Policy policy : {Policy::first_touch, Policy::interleaved})
      found.push_back({processor, -1, policy});
  return found;
}

PlacementSamples measure(const Topology& topology, const Placed& placed, std::int64_t bytes,
                         const Sampling& sampling) {
  const base::PinnedTeam team({placed.processor});
  base::AlignedArray<std::byte> memory(static_cast<std::size_t>(bytes));
  bind(topology, placed, memory.data(), memory.size());
  PlacementSamples found;
  const std::size_t slots = memory.size() / line_bytes;
  void** place = nullptr;
  std::uint64_t expected = 0, sum = 0;
  std::int64_t sums = 0;
  const auto words = reinterpret_cast<std::uint64_t*>(memory.data());
  slowest_s(team, 1, [&](int, std::int64_t) {  // the thread that is measured writes first
    std::mt19937_64 random(1);
    place = memory_latency::link(memory.data(),
                                 {slots, line_bytes, 0, memory_latency::Pattern::random}, random);
    expected = sum_of(words, memory.size() / 8);
  });
  see(topology, memory.data(), memory.size(), found);
  found.latency_s = seconds_of_one(team, sampling, [&](int, std::int64_t count) {
    place = memory_latency::chase(place, static_cast<std::size_t>(count) * loads_of_one);
  });
  for (double& seconds : found.latency_s) seconds /= loads_of_one;
  found.read_s = seconds_of_one(team, sampling, [&](int, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) sum += sum_of(words, memory.size() / 8);
    sums += count;
  });
  found.wrong += memory_latency::cycle_length(place, slots) != slots;
  found.wrong += sum != expected * static_cast<std::uint64_t>(sums);
  return found;
}

}  // namespace hakaru::probes::sharing
