// Which chains are measured, and the measurement of one of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "native/base/aligned.hpp"
#include "native/base/parameters.hpp"
#include "probes/memory_latency/chain.hpp"

namespace hakaru::probes::memory_latency {

// Latency as a function of the working set, everything else fixed.
struct Curve {
  base::Pages pages;
  Pattern pattern;
  std::size_t stride_bytes;
  int points_per_octave;
  int rounds;   // sweeps over the working sets, each with newly linked chains
  int samples;  // of each point in each round
};

const char* name_of(base::Pages pages);

// The curves that the parameters ask for. The first one, which the levels are found from, has twice
// the points of the others and all of the rounds; the others are swept once.
std::vector<Curve> curves(const base::Parameters& parameters);

// Largest working set by the rule (4 x last-level cache), the one that is used, and why they differ
// ("" when they do not).
struct LargestWorkingSet {
  std::int64_t by_rule_bytes, bytes;
  std::string reason;
};
LargestWorkingSet largest_working_set(const base::Parameters& parameters);

// Working sets from `smallest` to `largest`, `points_per_octave` of them in each doubling, each a
// multiple of `stride_bytes`.
std::vector<std::size_t> working_sets(std::size_t smallest, std::size_t largest,
                                      int points_per_octave, std::size_t stride_bytes);

struct PointResult {
  std::size_t slots;   // of the chain
  std::size_t length;  // that the walk found; equal to slots unless the chain is broken
  std::size_t loads;   // of each sample
  std::vector<double> latencies_s;  // s per load, one a sample
};

// Links and walks one chain once (which checks it and warms the caches), then times the samples,
// each of about `sample_s` seconds. The samples go on around the cycle, so that each meets the
// caches as the walk before left them. `damaged`: cuts a slot out of the chain before it is walked.
PointResult measure_point(std::byte* memory, const ChainShape& shape, int samples, double sample_s,
                          std::mt19937_64& random, bool damaged = false);

// Bytes of this process in transparent huge pages now, as the kernel says; 0 when it does not say.
double huge_page_bytes_in_use();

}  // namespace hakaru::probes::memory_latency
