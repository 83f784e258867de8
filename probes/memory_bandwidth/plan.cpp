#include "probes/memory_bandwidth/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "native/base/cores.hpp"
#include "native/base/system.hpp"
#include "probes/memory_bandwidth/kernels.hpp"

namespace hakaru::probes::memory_bandwidth {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
// Used where the kernel does not report caches.
constexpr std::int64_t assumed_cache_bytes = 64 * mebibyte;

// A fifth of the free memory for each of the three arrays; asked once, so that all answers of one
// process agree.
std::int64_t memory_limit_bytes() {
  static const auto limit = static_cast<std::int64_t>(base::available_memory_bytes() / 5.0) /
                            (16 * mebibyte) * 16 * mebibyte;
  return std::max(limit, 16 * mebibyte);
}

const std::vector<int>& cores_of_this_process() {
  static const std::vector<int> processors = base::distinct_cores();
  return processors;
}

}  // namespace

ArraySize choose_array_size(std::int64_t wanted, std::int64_t last_level_cache_bytes,
                            std::int64_t cap, std::int64_t memory_limit) {
  const std::int64_t cache = last_level_cache_bytes ? last_level_cache_bytes : assumed_cache_bytes;
  ArraySize size{0, wanted ? wanted : 4 * cache, ""};
  size.bytes = std::min({size.by_rule, cap, memory_limit});
  if (size.bytes < size.by_rule)
    size.reason_capped = fmt::format(
        "{:.1f} MiB an array wanted{}, capped at {:.1f} MiB by {}", size.by_rule / double(mebibyte),
        wanted ? "" : " by the rule of 4 x the last-level cache", size.bytes / double(mebibyte),
        cap <= memory_limit ? "maximum_array_bytes" : "the free memory");
  return size;
}

std::vector<std::int64_t> Plan::working_sets(int cores) const {
  constexpr std::int64_t smallest = 8192;
  const std::int64_t cache = base::last_level_cache_bytes();
  // Cores of a guest may have a cache each that the kernel takes for one.
  const std::int64_t largest =
      std::min(4 * (cache ? cache : assumed_cache_bytes), 3 * array.bytes) / cores;
  std::vector<std::int64_t> sizes;
  for (int i = 0;; ++i) {
    const auto size = std::llround(smallest * std::exp2(0.5 * i));
    if (i > 0 && size > largest) return sizes;
    sizes.push_back(size);
  }
}

std::vector<std::int64_t> Plan::indexed_sets(int cores) const {
  constexpr std::int64_t smallest = 64 << 10;
  const std::int64_t cache = base::last_level_cache_bytes();
  // Far enough for a cache to hold little of it.
  const std::int64_t largest =
      std::min(16 * (cache ? cache : assumed_cache_bytes), 3 * array.bytes) / cores;
  std::vector<std::int64_t> sizes = {smallest};
  while (2 * sizes.back() <= largest) sizes.push_back(2 * sizes.back());
  return sizes;
}

std::string refuse(const base::Parameters& parameters) {
  const auto wanted = parameters.integer("cores");
  const auto allowed = static_cast<std::int64_t>(cores_of_this_process().size());
  if (wanted > allowed)
    return fmt::format("{} cores are wanted, this process may use {}", wanted, allowed);
  return "";
}

Plan make_plan(const base::Parameters& p) {
  Plan plan;
  plan.array = choose_array_size(p.integer("array_bytes"), base::last_level_cache_bytes(),
                                 p.integer("maximum_array_bytes"), memory_limit_bytes());
  plan.elements = static_cast<std::size_t>(plan.array.bytes) / sizeof(double);
  plan.pages = p.text("pages") == "huge" ? base::Pages::transparent_huge : base::Pages::base;
  plan.processors = cores_of_this_process();
  if (p.integer("cores") > 0 &&
      p.integer("cores") < static_cast<std::int64_t>(plan.processors.size()))
    plan.processors.resize(p.integer("cores"));
  plan.core_counts = base::spread_counts(static_cast<int>(plan.processors.size()));
  plan.rounds = static_cast<int>(p.integer("rounds"));
  plan.runs = static_cast<int>(p.integer("runs"));
  plan.sweep_repetitions = static_cast<int>(p.integer("sweep_repetitions"));
  plan.sample_bytes = p.integer("sweep_sample_bytes");
  return plan;
}

}  // namespace hakaru::probes::memory_bandwidth
