#include "probes/sharing/description.hpp"

#include <algorithm>

#include "native/base/system.hpp"

namespace hakaru::probes::sharing {

base::Description description() {
  base::Description d("sharing",
                      "what cores share: lines, locks, caches and memory, and what that costs");
  d.integer("cores", 0, 0, 4096, "1", "cores to measure; 0: every core that may be used")
      .integer("samples", 7, 1, 1000, "1", "samples of each measurement")
      .real("least_seconds", 2e-3, 1e-5, 10.0, "s", "a sample lasts at least so long")
      .integer("most_pairs", 2016, 1, 1 << 20, "1", "pairs of cores to measure, at most")
      .integer("most_bytes", 0, 0, std::int64_t{1} << 40, "B",
               "largest working set of a thread; 0: twice the largest cache")
      .integer("memory_bytes", 0, 0, std::int64_t{1} << 40, "B",
               "of memory that is placed; 0: four times the largest cache, at most 256 MiB")
      .preset("small",
              {{"samples", 5},
               {"least_seconds", 5e-4},
               {"most_pairs", 28},
               {"most_bytes", std::int64_t{16} << 20},
               {"memory_bytes", std::int64_t{16} << 20}},
              "short samples, small sets: some seconds", 1)
      .phase("lines", base::PhaseKind::compute, "a line from core to core")
      .phase("counters", base::PhaseKind::compute, "false sharing, atomics, locks")
      .phase("copies", base::PhaseKind::compute, "several copies of a serial program at once")
      .phase("capacity", base::PhaseKind::compute, "loads in working sets of growing size")
      .phase("placement", base::PhaseKind::compute, "memory of each node from each core")
      .metric("slowest_line", "s", base::Better::lower, "the slowest pair's median")
      .table(
          "lines",
          {{"first", "1"}, {"second", "1"}, {"shares", "text"}, {"sample", "1"}, {"seconds", "s"}},
          "time for a line to get from one processor to the other, and what they share")
      .table("false_sharing",
             {{"threads", "1"}, {"padding", "B"}, {"sample", "1"}, {"seconds", "s"}},
             "time of adding to a counter of one's own, counters so far apart")
      .table("atomics",
             {{"operation", "text"},
              {"contended", "text"},
              {"threads", "1"},
              {"sample", "1"},
              {"seconds", "s"}},
             "time of an operation of each thread, on one counter of all or each on its own")
      .table("locks", {{"lock", "text"}, {"threads", "1"}, {"sample", "1"}, {"seconds", "s"}},
             "time of taking a lock, adding to a counter and giving it back, by each thread")
      .table("copies",
             {{"program", "text"},
              {"copies", "1"},
              {"bytes", "B"},
              {"copy", "1"},
              {"sample", "1"},
              {"seconds", "s"}},
             "time of a pass of each copy over its own memory, copies at once")
      .table("pairs",
             {{"shares", "text"},
              {"first", "1"},
              {"second", "1"},
              {"bytes", "B"},
              {"copy", "1"},
              {"sample", "1"},
              {"seconds", "s"}},
             "two copies on cores that share a cache, or less")
      .table("capacity", {{"threads", "1"}, {"bytes", "B"}, {"sample", "1"}, {"seconds", "s"}},
             "time of a load, by working set of each thread and threads that load at once")
      .table("placement",
             {{"processor", "1"},
              {"own_node", "1"},
              {"node", "1"},
              {"kind", "text"},
              {"policy", "text"},
              {"seen_node", "1"},
              {"share", "1"},
              {"bytes", "B"},
              {"sample", "1"},
              {"latency", "s"},
              {"read", "s"}},
             "a load, and reading all bytes once; node: asked for (-1: the policy decides), "
             "seen_node: what the kernel says of most pages, share of them")
      .table("missing", {{"what", "text"}, {"why", "text"}}, "what this machine does not allow")
      .limits(1, 1)
      .verifies({"cores"}, "hand-overs, counters, locks, copies and chains, in short samples")
      .size_meaning("cores measured");
  return d;
}

Plan plan_of(const base::Parameters& parameters) {
  Plan plan;
  plan.sampling = {static_cast<int>(parameters.integer("samples")),
                   parameters.real("least_seconds")};
  plan.processors = base::distinct_cores();
  const auto wanted = static_cast<std::size_t>(parameters.integer("cores"));
  if (wanted > 0 && wanted < plan.processors.size()) plan.processors.resize(wanted);
  plan.most_pairs = static_cast<std::size_t>(parameters.integer("most_pairs"));
  std::int64_t first = 32 << 10, second = 1 << 20, last = 32 << 20;  // where nothing is said
  const std::vector<base::CacheLevel> caches = base::caches();
  if (!caches.empty()) {
    first = caches.front().bytes;
    last = caches.back().bytes;
    second = caches[std::min<std::size_t>(1, caches.size() - 1)].bytes;
  }
  plan.least_set_bytes = std::max<std::int64_t>(second / 2, 4096);
  plan.most_set_bytes = parameters.integer("most_bytes");
  if (plan.most_set_bytes == 0) plan.most_set_bytes = 2 * last;
  plan.memory_bytes = parameters.integer("memory_bytes");
  if (plan.memory_bytes == 0) plan.memory_bytes = std::min<std::int64_t>(4 * last, 256 << 20);
  plan.memory_bytes = std::max<std::int64_t>(plan.memory_bytes / 4096, 1) * 4096;
  for (std::int64_t bytes : {first / 2, second / 2, last / 2, last, 4 * last})
    if (bytes <= plan.memory_bytes) plan.copy_bytes.push_back(bytes);
  return plan;
}

}  // namespace hakaru::probes::sharing
