// Latency of memory: the time of one dependent load by working set, stride, order of access and
// kind of page.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <string>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "native/base/system.hpp"
#include "native/harness/program.hpp"
#include "probes/memory_latency/curves.hpp"

namespace hakaru::probes::memory_latency {
namespace {

// Keeps the calling thread on the processor that it is on, as long as it lives.
class StayHere {
 public:
  StayHere() : processor_(::sched_getcpu()) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t only;
    CPU_ZERO(&only);
    if (processor_ >= 0 && processor_ < CPU_SETSIZE) CPU_SET(processor_, &only);
    ::sched_setaffinity(0, sizeof only, &only);
  }
  ~StayHere() { ::sched_setaffinity(0, sizeof before_, &before_); }
  // What the kernel says now, not what was asked for.
  bool stayed() const { return ::sched_getcpu() == processor_; }
  int processor() const { return processor_; }

 private:
  int processor_;
  cpu_set_t before_;
};

class MemoryLatency final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("memory_latency", "time of one dependent load by working set and stride");
    d.integer("smallest_bytes", 4096, 1024, 1 << 20, "B", "smallest working set")
        .integer("largest_bytes", 0, 0, std::int64_t{1} << 40, "B",
                 "largest working set; 0: 4 x the last-level cache")
        .integer("maximum_bytes", std::int64_t{512} << 20, 1 << 16, std::int64_t{1} << 40, "B",
                 "cap of the largest working set, said in the record when it binds")
        .integer("points_per_octave", 4, 1, 64, "1",
                 "working sets in each doubling (half of it after the first curve)")
        .integer("rounds", 3, 1, 1000, "1",
                 "sweeps over the first curve, which the levels are found from")
        .integer("samples", 5, 1, 100'000, "1", "samples of each point in each round")
        .real("sample_s", 0.001, 1e-5, 10.0, "s", "time of each sample")
        .integer("smallest_stride", 64, 8, 1 << 20, "B", "distance of neighbouring slots")
        .integer("largest_stride", 4096, 8, 1 << 20, "B", "strides go up to here in factors of 8")
        .choice("pattern", "all", {"all", "random_local", "random", "sequential"},
                "order of the slots")
        .integer("window_bytes", 128 << 10, 4096, 1 << 30, "B",
                 "random_local finishes a window of this size before the next; small enough for "
                 "the first translation buffer")
        .choice("pages", "both", {"both", "huge", "base"},
                "kind of page: transparent huge or base pages")
        .integer("seed", 1, 0, 1'000'000'000, "1", "of the random order")
        .preset("small",
                {{"maximum_bytes", std::int64_t{64} << 20},
                 {"points_per_octave", 2},
                 {"rounds", 1},
                 {"sample_s", 0.0005},
                 {"largest_stride", 64},
                 {"pages", "huge"}},
                "one stride, huge pages, at most 64 MiB: about a second")
        .phase("chase", base::PhaseKind::compute, "linking, walking and timing the chains")
        .table("latency",
               {{"pattern", "text"},
                {"pages", "text"},
                {"stride_bytes", "B"},
                {"working_set_bytes", "B"},
                {"round", "1"},
                {"repetition", "1"},
                {"loads", "1"},
                {"latency_s", "s"}},
               "time of one load in each sample")
        .table("conditions",
               {{"processor", "1"},
                {"largest_bytes", "B"},
                {"largest_bytes_by_rule", "B"},
                {"capped", "text"},
                {"last_level_cache_bytes", "B"},
                {"huge_page_bytes", "B"}},
               "what was measured on; huge_page_bytes is what the kernel gave for the curves on "
               "huge pages")
        .limits(1, 1)
        .verifies({"seed"}, "chains of every pattern in little memory")
        .size_meaning("largest working set in B");
    return d;
  }

  std::string refuse(const base::Parameters& p, const base::Layout&) const override {
    if (p.integer("smallest_stride") % 8 != 0)
      return "smallest_stride must be a multiple of 8 B, the size of a pointer";
    if (p.integer("largest_stride") < p.integer("smallest_stride"))
      return "largest_stride is below smallest_stride";
    for (const Curve& curve : curves(p))
      if (sizes_of(curve, p).empty())
        return fmt::format("no working set up to {} B holds two slots of stride {} B",
                           largest_working_set(p).bytes, curve.stride_bytes);
    return "";
  }

  base::Work work(const base::Parameters& p, const base::Layout&) const override {
    const auto largest = static_cast<double>(largest_working_set(p).bytes);
    return {largest, largest, {{"chase", 0, 0, 0, 0, 0, 1}}};
  }

  void repeat(harness::Run& run) override {
    auto phase = run.phases().scope("chase");
    const base::Parameters& p = run.parameters();
    const auto largest = largest_working_set(p);
    if (!largest.reason.empty()) fmt::print("memory_latency: {}\n", largest.reason);
    const StayHere here;
    const auto list = curves(p);
    huge_page_bytes_ = 0.0;
    outcome_ = {};
    for (std::size_t i = 0; i < list.size(); ++i) {
      run.progress(static_cast<double>(i) / static_cast<double>(list.size()),
                   fmt::format("{} order, stride {} B, {} pages", name_of(list[i].pattern),
                               list[i].stride_bytes, name_of(list[i].pages)));
      for (int round = 1; round <= list[i].rounds; ++round)
        measure_curve(run, list[i], i == 0, round);
    }
    outcome_.stayed = here.stayed();
    run.table("conditions")
        .row({here.processor(), largest.bytes, largest.by_rule_bytes,
              largest.reason.empty() ? "no" : largest.reason, base::last_level_cache_bytes(),
              huge_page_bytes_});
  }

  void check(harness::Run&, base::Checks& checks) override { check_outcome(checks); }

  // Chains of every pattern, stride and kind of page with lengths that do not divide evenly, walked
  // whole.
  void verify(harness::Run& run, base::Checks& checks) override {
    const StayHere here;
    outcome_ = {};
    std::mt19937_64 random(run.parameters().integer("seed"));
    for (const auto pages : {base::Pages::base, base::Pages::transparent_huge}) {
      base::AlignedArray<std::byte> memory(verify_bytes, pages);
      for (const auto pattern : {Pattern::random_local, Pattern::random, Pattern::sequential})
        for (const std::size_t stride : {8, 64, 192, 4096})
          for (const std::size_t slots : {std::size_t{2}, std::size_t{67}, verify_bytes / stride})
            note(measure_point(memory.data(), {slots, stride, verify_window, pattern}, 3, 1e-5,
                               random, run.damaged()));
    }
    base::AlignedArray<std::byte> memory(verify_bytes);
    outcome_.first_s = best_latency(memory.data(), 4096, random);
    outcome_.last_s = best_latency(memory.data(), verify_bytes, random);
    outcome_.stayed = here.stayed();
    check_outcome(checks);
  }

 private:
  static constexpr std::size_t verify_bytes = std::size_t{24} << 20, verify_window = 128 << 10;
  struct Outcome {
    double broken = 0.0;      // chains that are not one cycle through all slots
    double shortest_s = 1.0;  // smallest sample, s per load
    double first_s = 0.0,
           last_s =
               0.0;  // s per load at the smallest and the largest working set of the first curve
    bool stayed = false;
  };

  static std::vector<std::size_t> sizes_of(const Curve& curve, const base::Parameters& p) {
    return working_sets(p.integer("smallest_bytes"), largest_working_set(p).bytes,
                        curve.points_per_octave, curve.stride_bytes);
  }

  void measure_curve(harness::Run& run, const Curve& curve, bool first, int round) {
    const base::Parameters& p = run.parameters();
    const auto sizes = sizes_of(curve, p);
    base::AlignedArray<std::byte> memory(sizes.back(), curve.pages);
    std::mt19937_64 random(p.integer("seed") + round);
    for (const std::size_t size : sizes) {
      const ChainShape shape{size / curve.stride_bytes, curve.stride_bytes,
                             static_cast<std::size_t>(p.integer("window_bytes")), curve.pattern};
      const PointResult result =
          measure_point(memory.data(), shape, curve.samples, p.real("sample_s"), random);
      note(result);
      for (std::size_t i = 0; i < result.latencies_s.size(); ++i)
        run.table("latency").row({name_of(curve.pattern), name_of(curve.pages), curve.stride_bytes,
                                  size, round, i + 1, result.loads, result.latencies_s[i]});
      const double smallest =
          *std::min_element(result.latencies_s.begin(), result.latencies_s.end());
      if (first && size == sizes.front()) outcome_.first_s = smallest;
      if (first && size == sizes.back()) outcome_.last_s = smallest;
    }
    if (curve.pages == base::Pages::transparent_huge)
      huge_page_bytes_ = std::max(huge_page_bytes_, huge_page_bytes_in_use());
  }

  static double best_latency(std::byte* memory, std::size_t bytes, std::mt19937_64& random) {
    const auto result = measure_point(
        memory, {bytes / 64, 64, verify_window, Pattern::random_local}, 5, 2e-4, random);
    return *std::min_element(result.latencies_s.begin(), result.latencies_s.end());
  }

  void note(const PointResult& result) {
    if (result.length != result.slots) outcome_.broken += 1.0;
    for (const double latency : result.latencies_s)
      outcome_.shortest_s = std::min(outcome_.shortest_s, latency);
  }

  void check_outcome(base::Checks& checks) const {
    checks.equal("broken chains", outcome_.broken, 0.0,
                 "each chain is one cycle through all of its slots");
    checks.at_least("shortest time of a load", outcome_.shortest_s, 1e-11,
                    "no processor loads from a dependent address in a hundredth of a nanosecond");
    checks.at_least("largest over smallest working set", outcome_.last_s / outcome_.first_s, 1.0,
                    "memory further away is not faster");
    checks.equal("stayed on one processor", outcome_.stayed, 1.0, "as the kernel says");
  }

  Outcome outcome_;
  double huge_page_bytes_ = 0.0;
};

}  // namespace
}  // namespace hakaru::probes::memory_latency

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::memory_latency::MemoryLatency>();
}
