#include "native/harness/binding.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <set>

#include "native/base/system.hpp"

namespace hakaru::harness {
namespace {

std::vector<int> allowed_processors() {
  constexpr int most = 8192;
  cpu_set_t* set = CPU_ALLOC(most);
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  CPU_ZERO_S(bytes, set);
  std::vector<int> processors;
  if (::sched_getaffinity(0, bytes, set) == 0)
    for (int i = 0; i < most; ++i)
      if (CPU_ISSET_S(i, bytes, set)) processors.push_back(i);
  CPU_FREE(set);
  return processors;
}

// Size of the largest matching of threads to distinct processors that they may use (augmenting
// paths).
class Matching {
 public:
  explicit Matching(const std::vector<std::vector<int>>& allowed) : allowed_(allowed) {}
  int size() {
    int matched = 0;
    for (std::size_t thread = 0; thread < allowed_.size(); ++thread) {
      visited_.clear();
      matched += place(static_cast<int>(thread));
    }
    return matched;
  }

 private:
  bool place(int thread) {
    for (int processor : allowed_[thread]) {
      if (!visited_.insert(processor).second) continue;
      const auto owner = owner_.find(processor);
      if (owner == owner_.end() || place(owner->second)) {
        owner_[processor] = thread;
        return true;
      }
    }
    return false;
  }
  const std::vector<std::vector<int>>& allowed_;
  std::map<int, int> owner_;
  std::set<int> visited_;
};

}  // namespace

std::vector<ThreadBinding> observe_threads(int threads) {
  std::vector<ThreadBinding> bindings(threads);
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    bindings[thread] = {thread, allowed_processors(), ::sched_getcpu()};
  }
  return bindings;
}

void judge_binding(BindingReport& report) {
  std::map<std::string, std::vector<std::vector<int>>> threads_of_host;
  std::map<std::string, std::set<int>> processors_of_host;
  for (const auto& rank : report.ranks) {
    const std::string host = rank.at("host");
    for (const auto& thread : rank.at("threads")) {
      const auto allowed = thread.at("allowed").get<std::vector<int>>();
      threads_of_host[host].push_back(allowed);
      processors_of_host[host].insert(allowed.begin(), allowed.end());
    }
  }
  for (const auto& [host, threads] : threads_of_host) {
    const int wanted = static_cast<int>(threads.size());
    const int placed = Matching(threads).size();
    if (placed >= wanted) continue;
    report.oversubscribed = true;
    report.problems.push_back(
        fmt::format("{}: {} threads may use only {} processors, at most {} of them can run at once",
                    host, wanted, processors_of_host[host].size(), placed));
  }
}

BindingReport observe_binding(Ranks& ranks, int threads) {
  base::json mine{
      {"rank", ranks.rank()}, {"host", base::host_name()}, {"threads", base::json::array()}};
  for (const auto& binding : observe_threads(threads))
    mine["threads"].push_back(
        {{"thread", binding.thread}, {"allowed", binding.allowed}, {"seen", binding.seen}});
  BindingReport report;
  for (const auto& text : ranks.gather(mine.dump())) {
    report.ranks.push_back(base::json::parse(text));
    const std::string host = report.ranks.back().at("host");
    if (std::find(report.hosts.begin(), report.hosts.end(), host) == report.hosts.end())
      report.hosts.push_back(host);
  }
  judge_binding(report);
  return report;
}

}  // namespace hakaru::harness
