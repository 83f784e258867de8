// What cores share, and what sharing costs: lines, counters, locks, caches, memory.
#include <fmt/format.h>

#include <algorithm>

#include "native/harness/program.hpp"
#include "probes/sharing/capacity.hpp"
#include "probes/sharing/copies.hpp"
#include "probes/sharing/counters.hpp"
#include "probes/sharing/description.hpp"
#include "probes/sharing/lines.hpp"
#include "probes/sharing/locks.hpp"
#include "probes/sharing/placement.hpp"
#include "probes/sharing/topology.hpp"

namespace hakaru::probes::sharing {
namespace {

constexpr int paddings[] = {8, 16, 32, 64, 128, 256};
constexpr Atomic atomics[] = {Atomic::add, Atomic::compare_and_swap, Atomic::load, Atomic::store};

class Sharing final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout&) const override {
    const Plan plan = plan_of(parameters);
    const auto cores = static_cast<double>(plan.processors.size());
    const double bytes = static_cast<double>(std::max(plan.most_set_bytes, plan.memory_bytes));
    return {
        cores, cores * bytes, {{"lines"}, {"counters"}, {"copies"}, {"capacity"}, {"placement"}}};
  }

  std::string refuse(const base::Parameters& parameters, const base::Layout&) const override {
    const auto usable = static_cast<std::int64_t>(base::distinct_cores().size());
    if (parameters.integer("cores") <= usable) return "";
    return fmt::format("{} cores are to be measured and {} may be used",
                       parameters.integer("cores"), usable);
  }

  void repeat(harness::Run& run) override {
    const Plan plan = plan_of(run.parameters());
    const Topology topology;
    wrong_ = 0.0;
    const auto pairs = pairs_of(topology, plan.processors, plan.most_pairs);
    if (pairs.empty())
      missing(run, "lines between cores", "one core may be used, and a line needs two");
    measure_lines(run, plan, pairs);
    for (int threads : base::spread_counts(static_cast<int>(plan.processors.size()))) {
      run.progress(0.2, fmt::format("{} threads", threads));
      const base::PinnedTeam team({plan.processors.begin(), plan.processors.begin() + threads});
      measure_counters(run, plan, team);
      measure_copies(run, plan, team);
      measure_capacity(run, plan, team);
    }
    measure_pairs(run, plan, one_of_each_kind(pairs));
    measure_placement(run, plan, topology);
  }

  void check(harness::Run&, base::Checks& checks) override { check_wrong(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    const Plan plan = plan_of(run.parameters());
    const Topology topology;
    const Sampling brief{1, 1e-5};
    wrong_ = run.damaged() ? 1.0 : 0.0;
    for (const CorePair& pair : pairs_of(topology, plan.processors, 3))
      wrong_ += static_cast<double>(line_between(pair.first, pair.second, brief).wrong);
    for (int threads : base::spread_counts(static_cast<int>(plan.processors.size()))) {
      const base::PinnedTeam team({plan.processors.begin(), plan.processors.begin() + threads});
      for (int padding : paddings) wrong_ += false_sharing(team, padding, brief).wrong;
      for (Atomic operation : atomics)
        for (bool contended : {true, false})
          wrong_ += std::abs(atomic_operations(team, operation, contended, brief).wrong);
      for (Lock lock : all_locks) wrong_ += std::abs(lock_operations(team, lock, brief).wrong);
      for (Serial program : {Serial::multiply, Serial::stencil})
        wrong_ += copies_at_once(team, program, 1 << 16, brief).wrong;
      wrong_ += loads_at_once(team, 1 << 16, brief).wrong;
    }
    for (const Placed& placed : sharing::plan(topology, {plan.processors.front()})) try {
        wrong_ += measure(topology, placed, 1 << 20, brief).wrong;
      } catch (const base::UserError& error) {
        fmt::print("sharing: {}\n", error.what());
      }
    check_wrong(checks);
  }

 private:
  static void missing(harness::Run& run, const std::string& what, const std::string& why) {
    run.table("missing").row({what, why});
    fmt::print("sharing: {} is not measured ({}); the rest goes on\n", what, why);
  }

  void measure_lines(harness::Run& run, const Plan& plan, const std::vector<CorePair>& pairs) {
    auto phase = run.phases().scope("lines");
    double slowest_s = 0.0;
    for (const CorePair& pair : pairs) {
      LineSamples found = line_between(pair.first, pair.second, plan.sampling);
      wrong_ += static_cast<double>(found.wrong);
      for (std::size_t i = 0; i < found.seconds.size(); ++i)
        run.table("lines").row({pair.first, pair.second, pair.shares, i, found.seconds[i]});
      std::nth_element(found.seconds.begin(), found.seconds.begin() + found.seconds.size() / 2,
                       found.seconds.end());
      slowest_s = std::max(slowest_s, found.seconds[found.seconds.size() / 2]);
    }
    run.metrics().add("slowest_line", slowest_s);
  }

  void measure_counters(harness::Run& run, const Plan& plan, const base::PinnedTeam& team) {
    auto phase = run.phases().scope("counters");
    const int threads = team.size();
    const auto keep = [&](const CounterSamples& found, const auto& add) {
      wrong_ += std::abs(found.wrong);
      for (std::size_t i = 0; i < found.seconds.size(); ++i) add(i, found.seconds[i]);
    };
    for (int padding : paddings)
      keep(false_sharing(team, padding, plan.sampling), [&](std::size_t i, double seconds) {
        run.table("false_sharing").row({threads, padding, i, seconds});
      });
    for (Atomic operation : atomics)
      for (bool contended : {true, false})
        keep(atomic_operations(team, operation, contended, plan.sampling),
             [&](std::size_t i, double seconds) {
               run.table("atomics").row(
                   {name_of(operation), contended ? "yes" : "no", threads, i, seconds});
             });
    for (Lock lock : all_locks)
      keep(lock_operations(team, lock, plan.sampling), [&](std::size_t i, double seconds) {
        run.table("locks").row({name_of(lock), threads, i, seconds});
      });
  }

  void measure_copies(harness::Run& run, const Plan& plan, const base::PinnedTeam& team) {
    auto phase = run.phases().scope("copies");
    for (Serial program : {Serial::multiply, Serial::stencil})
      for (std::int64_t bytes : plan.copy_bytes) {
        if (program == Serial::multiply && bytes != plan.copy_bytes.front()) continue;
        const CopySamples found = copies_at_once(team, program, bytes, plan.sampling);
        wrong_ += found.wrong;
        for (const CopySample& one : found.samples)
          run.table("copies").row(
              {name_of(program), team.size(), bytes, one.copy, one.sample, one.seconds});
      }
  }

  void measure_capacity(harness::Run& run, const Plan& plan, const base::PinnedTeam& team) {
    auto phase = run.phases().scope("capacity");
    for (std::int64_t bytes : working_sets(plan.least_set_bytes, plan.most_set_bytes)) {
      const CapacitySamples found = loads_at_once(team, bytes, plan.sampling);
      wrong_ += found.wrong;
      for (std::size_t i = 0; i < found.seconds.size(); ++i)
        run.table("capacity").row({team.size(), bytes, i, found.seconds[i]});
    }
  }

  void measure_pairs(harness::Run& run, const Plan& plan, const std::vector<CorePair>& pairs) {
    auto phase = run.phases().scope("copies");
    for (const CorePair& pair : pairs) {
      const base::PinnedTeam team({pair.first, pair.second});
      for (std::int64_t bytes : plan.copy_bytes) {
        const CopySamples found = copies_at_once(team, Serial::stencil, bytes, plan.sampling);
        wrong_ += found.wrong;
        for (const CopySample& one : found.samples)
          run.table("pairs").row(
              {pair.shares, pair.first, pair.second, bytes, one.copy, one.sample, one.seconds});
      }
    }
  }

  void measure_placement(harness::Run& run, const Plan& plan, const Topology& topology) {
    auto phase = run.phases().scope("placement");
    if (topology.nodes().size() < 2)
      missing(run, "memory of another node", "this host has one memory node");
    for (const Placed& placed : sharing::plan(topology, plan.processors)) try {
        const PlacementSamples found = measure(topology, placed, plan.memory_bytes, plan.sampling);
        wrong_ += found.wrong;
        const int node = placed.node >= 0 ? placed.node : found.seen_node;
        for (std::size_t i = 0; i < found.latency_s.size(); ++i)
          run.table("placement")
              .row({placed.processor, topology.node_of(placed.processor), placed.node,
                    topology.kind_of(node), name_of(placed.policy), found.seen_node, found.share,
                    plan.memory_bytes, i, found.latency_s[i], found.read_s[i]});
      } catch (const base::UserError& error) {
        missing(run, fmt::format("memory by {}", name_of(placed.policy)), error.what());
      }
  }

  void check_wrong(base::Checks& checks) const {
    checks.equal("operations, additions, passes and chains that are wrong", wrong_, 0.0,
                 "counters, sums and lengths of chains are known");
  }

  double wrong_ = 0.0;
};

}  // namespace
}  // namespace hakaru::probes::sharing

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::sharing::Sharing>();
}
