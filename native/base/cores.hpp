// The cores that this process may use, and an OpenMP team with one thread pinned to each of them.
#pragma once

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#if !defined(HAKARU_WITHOUT_HWLOC)
#include <hwloc.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "native/base/require.hpp"
#if defined(HAKARU_WITHOUT_HWLOC)
#include "native/base/system.hpp"
#endif

namespace hakaru::base {

// A set of processors as the kernel's scheduler takes it.
class ProcessorMask {
 public:
  ProcessorMask() : set_(CPU_ALLOC(most)) { CPU_ZERO_S(bytes(), set_); }
  ProcessorMask(const ProcessorMask& other) : ProcessorMask() {
    CPU_OR_S(bytes(), set_, set_, other.set_);
  }
  ProcessorMask& operator=(const ProcessorMask&) = delete;
  ~ProcessorMask() { CPU_FREE(set_); }

  static ProcessorMask of_this_thread() {
    ProcessorMask mask;
    ::sched_getaffinity(0, bytes(), mask.set_);
    return mask;
  }
  void add(int processor) { CPU_SET_S(processor, bytes(), set_); }
  bool contains(int processor) const { return CPU_ISSET_S(processor, bytes(), set_) != 0; }
  // Confines the calling thread to this set; false when the kernel refuses.
  bool confine_this_thread() const { return ::sched_setaffinity(0, bytes(), set_) == 0; }

  static constexpr int most = 8192;

 private:
  static std::size_t bytes() { return CPU_ALLOC_SIZE(most); }
  cpu_set_t* set_;
};

// Processors that the calling thread may use, with those of the OpenMP places when OpenMP has
// already bound it to one of them.
inline ProcessorMask allowed_processors() {
  ProcessorMask mask = ProcessorMask::of_this_thread();
  if (omp_get_proc_bind() == omp_proc_bind_false) return mask;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> processors(omp_get_place_num_procs(place));
    omp_get_place_proc_ids(place, processors.data());
    for (int processor : processors) mask.add(processor);
  }
  return mask;
}

// The first allowed processor of each physical core, neighbours first; none when the topology is
// unknown.
#if defined(HAKARU_WITHOUT_HWLOC)
inline std::vector<int> processors_of_cores(const ProcessorMask& allowed) {
  // By socket and by the numbers of their hardware threads, as the kernel tells.
  std::map<std::pair<int, int>, int> first_of_core;
  for (int i = 0; i < ProcessorMask::most; ++i) {
    if (!allowed.contains(i)) continue;
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", i);
    const std::string siblings = first_line(folder + "thread_siblings_list");
    const int socket = std::atoi(first_line(folder + "physical_package_id").c_str());
    if (!siblings.empty()) first_of_core.emplace(std::pair(socket, std::atoi(siblings.c_str())), i);
  }
  std::vector<int> processors;
  for (const auto& [core, processor] : first_of_core) processors.push_back(processor);
  return processors;
}
#else
inline std::vector<int> processors_of_cores(const ProcessorMask& allowed) {
  std::vector<int> processors;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) == 0) {
    if (hwloc_topology_load(topology) == 0) {
      hwloc_obj_t core = nullptr;
      while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr)
        for (int i = hwloc_bitmap_first(core->cpuset); i >= 0;
             i = hwloc_bitmap_next(core->cpuset, i))
          if (i < ProcessorMask::most && allowed.contains(i)) {
            processors.push_back(i);
            break;
          }
    }
    hwloc_topology_destroy(topology);
  }
  return processors;
}
#endif

// The same, and every allowed processor when the topology is unknown.
inline std::vector<int> distinct_cores(const ProcessorMask& allowed = allowed_processors()) {
  std::vector<int> processors = processors_of_cores(allowed);
  if (processors.empty())
    for (int i = 0; i < ProcessorMask::most; ++i)
      if (allowed.contains(i)) processors.push_back(i);
  return processors;
}

// Cores that a leaf's parameter asks for; 0 is all that may be used.
inline int wanted_cores(std::int64_t asked) {
  if (asked > 0) return static_cast<int>(asked);
  return std::max(1, static_cast<int>(distinct_cores().size()));
}

// Why so many cores cannot be had; empty when they can.
inline std::string too_many_cores(std::int64_t asked) {
  const auto usable = static_cast<std::int64_t>(distinct_cores().size());
  if (asked <= usable) return "";
  return fmt::format("{} cores are wanted and {} may be used", asked, usable);
}

// 1, 2, 3, 4, 6, 8, 12, 16, 24, ... below `most`, and `most`.
inline std::vector<int> spread_counts(int most) {
  std::set<int> counts{most};
  for (int power = 1; power <= most; power *= 2) {
    counts.insert(power);
    if (power >= 2 && power / 2 * 3 <= most) counts.insert(power / 2 * 3);
  }
  return {counts.begin(), counts.end()};
}

// While it lives, thread i of OpenMP teams of this size runs on processors[i] only. Throws
// UserError(environment) when the kernel does not do it. Relies on the OpenMP library using the
// same threads in the same order for successive teams of one size.
class PinnedTeam {
 public:
  explicit PinnedTeam(std::vector<int> processors)
      : processors_(std::move(processors)),
        seen_(processors_.size(), -1),
        before_(ProcessorMask::of_this_thread()) {
    bool pinned = true;
#pragma omp parallel num_threads(size()) reduction(&& : pinned)
    {
      ProcessorMask mask;
      mask.add(processors_[omp_get_thread_num()]);
      pinned = mask.confine_this_thread();
    }
    if (pinned && in_place()) return;
    release();
    base::require_environment(
        false, fmt::format("{} threads cannot be pinned to distinct processors", size()),
        "the kernel refused or ignored it", "run without a sandbox that forbids sched_setaffinity");
  }
  ~PinnedTeam() { release(); }
  PinnedTeam(const PinnedTeam&) = delete;
  PinnedTeam& operator=(const PinnedTeam&) = delete;

  int size() const { return static_cast<int>(processors_.size()); }
  const std::vector<int>& processors() const { return processors_; }
  // Where each thread was when in_place() last asked.
  const std::vector<int>& seen() const { return seen_; }

  // Asks every thread where it runs: true when each is on its processor.
  bool in_place() {
#pragma omp parallel num_threads(size())
    seen_[omp_get_thread_num()] = ::sched_getcpu();
    return seen_ == processors_;
  }

 private:
  void release() {
#pragma omp parallel num_threads(size())
    before_.confine_this_thread();
  }
  std::vector<int> processors_, seen_;
  ProcessorMask before_;
};

}  // namespace hakaru::base
