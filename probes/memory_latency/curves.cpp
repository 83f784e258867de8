#include "probes/memory_latency/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "native/base/clock.hpp"
#include "native/base/system.hpp"

namespace hakaru::probes::memory_latency {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t stride_factor = 8;
// Used where the kernel does not report caches.
constexpr std::int64_t assumed_cache_bytes = 64 * mebibyte;

std::int64_t memory_limit_bytes() {
  static const auto limit = static_cast<std::int64_t>(base::available_memory_bytes() / 4.0) /
                            (64 * mebibyte) * 64 * mebibyte;
  return std::max(limit, 16 * mebibyte);
}

}  // namespace

const char* name_of(base::Pages pages) { return pages == base::Pages::base ? "base" : "huge"; }

std::vector<Curve> curves(const base::Parameters& parameters) {
  const std::string pages_wanted = parameters.text("pages"),
                    patterns_wanted = parameters.text("pattern");
  const int fine = static_cast<int>(parameters.integer("points_per_octave"));
  const int samples = static_cast<int>(parameters.integer("samples"));
  const int rounds = static_cast<int>(parameters.integer("rounds"));
  std::vector<Curve> result;
  for (const auto pages : {base::Pages::transparent_huge, base::Pages::base}) {
    if (pages_wanted != "both" && pages_wanted != name_of(pages)) continue;
    for (const auto pattern : {Pattern::random_local, Pattern::random, Pattern::sequential}) {
      if (patterns_wanted != "all" && patterns_wanted != name_of(pattern)) continue;
      for (std::int64_t stride = parameters.integer("smallest_stride");
           stride <= parameters.integer("largest_stride"); stride *= stride_factor) {
        const bool finest = result.empty();
        result.push_back({pages, pattern, static_cast<std::size_t>(stride),
                          finest ? fine : std::max(fine / 2, 1), finest ? rounds : 1, samples});
      }
    }
  }
  return result;
}

LargestWorkingSet largest_working_set(const base::Parameters& parameters) {
  const std::int64_t cache = base::last_level_cache_bytes();
  const std::int64_t wanted = parameters.integer("largest_bytes");
  const std::int64_t by_rule = wanted ? wanted : 4 * (cache ? cache : assumed_cache_bytes);
  const std::int64_t cap = parameters.integer("maximum_bytes"), memory = memory_limit_bytes();
  LargestWorkingSet result{by_rule, std::min({by_rule, cap, memory}), ""};
  if (result.bytes < by_rule)
    result.reason =
        fmt::format("{} MiB wanted, capped at {} MiB by {}", by_rule / mebibyte,
                    result.bytes / mebibyte, cap <= memory ? "maximum_bytes" : "the free memory");
  return result;
}

std::vector<std::size_t> working_sets(std::size_t smallest, std::size_t largest,
                                      int points_per_octave, std::size_t stride_bytes) {
  std::vector<std::size_t> sizes;
  for (int i = 0;; ++i) {
    const double exact =
        static_cast<double>(smallest) * std::exp2(static_cast<double>(i) / points_per_octave);
    const std::size_t size = std::llround(exact / static_cast<double>(stride_bytes)) * stride_bytes;
    if (size > largest) break;
    if (size >= 2 * stride_bytes && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
  }
  return sizes;
}

PointResult measure_point(std::byte* memory, const ChainShape& shape, int samples, double sample_s,
                          std::mt19937_64& random, bool damaged) {
  void** here = link(memory, shape, random);
  if (damaged) cut_out_one_slot(here);
  const double start = base::now_s();
  const std::size_t length = cycle_length(here, shape.slots);
  here = chase(here, 1024);
  const double load_s = (base::now_s() - start) / static_cast<double>(length + 1024);
  const auto wanted = static_cast<std::size_t>(std::max(sample_s / load_s, 1024.0));
  PointResult result{shape.slots, length, wanted, {}};
  here = chase(here, result.loads);
  for (int sample = 0; sample < samples; ++sample) {
    const double begin = base::now_s();
    here = chase(here, result.loads);
    result.latencies_s.push_back((base::now_s() - begin) / static_cast<double>(result.loads));
  }
  return result;
}

double huge_page_bytes_in_use() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("AnonHugePages:", 0) == 0) return std::atof(line.c_str() + 14) * 1024.0;
  return 0.0;
}

}  // namespace hakaru::probes::memory_latency
