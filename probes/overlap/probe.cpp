// How much communication hides behind computation: the program of the SR16000 tuning lecture in
// several ways of sending, and whether MPI moves messages while nobody calls it.
#include <algorithm>
#include <map>
#include <set>

#include "native/harness/program.hpp"
#include "native/parallel/groups.hpp"
#include "probes/overlap/description.hpp"
#include "probes/overlap/progress.hpp"
#include "probes/overlap/schedule.hpp"
#include "probes/overlap/ways.hpp"

namespace hakaru::probes::overlap {
namespace {

using parallel::Communicator;

Way way_named(const std::string& name) {
  for (const Way way : all_ways())
    if (name_of(way) == name) return way;
  return Way::none;
}

class Overlap final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    if (layout.ranks < 2) return "it sends messages between ranks, which takes at least two";
    if (single(parameters) && parameters.integer("n") == 0)
      return "one way of sending needs the length n of its messages";
    return "";
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    if (single(parameters)) return size_of(repetition(parameters, layout.ranks));
    const double samples = static_cast<double>(parameters.integer("samples"));
    const auto longest = static_cast<double>(lengths(parameters).back());
    const double points = samples * static_cast<double>(lengths(parameters).size() *
                                                        parallel::group_sizes(layout.ranks).size());
    return {longest,
            16.0 * longest * layout.ranks,
            {{"loop", 0, 0, 0, 0, 0, 2.0 * points * static_cast<double>(all_ways().size())},
             {"progress", 0, 0, 0, 0, 0,
              4.0 * samples * static_cast<double>(message_sizes(parameters).size())}}};
  }

  harness::RankSchedule schedule(const base::Parameters& parameters,
                                 const base::Layout& layout) const override {
    if (!single(parameters)) return {};
    return rank_schedule(repetition(parameters, layout.ranks));
  }

  void prepare(harness::Run& run) override {
    if (!single(run.parameters())) return;
    const auto world = Communicator::world();
    const Repetition r = repetition(run.parameters(), world.size());
    if (r.way == Way::put) memory_ = memory_for(world, r.n, r.iterations);
  }

  void repeat(harness::Run& run) override {
    const auto world = Communicator::world();
    wrong_ = 0;
    if (single(run.parameters())) {
      const Repetition r = repetition(run.parameters(), world.size());
      const Outcome outcome =
          run_program(world, r.way, r.n, r.iterations, true, false, &run.phases(), memory_.get());
      wrong_ = outcome.wrong;
      auto phase = run.phases().scope("messages");
      keep(run, r.way, r.n, r.ranks, 0, true, world.maximum(outcome.seconds));
      return;
    }
    for (const int ranks : parallel::group_sizes(world.size())) {
      const auto group = world.split(world.rank() < ranks ? 0 : -1, world.rank());
      if (group.size() > 0) measure_group(run, group);
      wait_for_all(run, world);
    }
    const bool measured = world.rank() == 0 || world.rank() == world.size() - 1;
    const auto both = world.split(measured ? 0 : -1, world.rank());
    if (measured) measure_pair(run, both);
    wait_for_all(run, world);
  }

  void check(harness::Run&, base::Checks& checks) override {
    const auto wrong = Communicator::world().sum(wrong_);
    checks.equal("wrong elements", static_cast<double>(wrong), 0.0,
                 "rank 0 sends other numbers in each iteration; the work after has a known result");
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    const auto world = Communicator::world();
    for (const Way way : all_ways()) {
      const Outcome outcome = run_program(world, way, 33, 5, true, run.damaged());
      checks.equal("wrong elements, " + name_of(way), static_cast<double>(world.sum(outcome.wrong)),
                   0.0, "what is received and what is computed of it");
    }
    const bool measured = world.rank() == 0 || world.rank() == world.size() - 1;
    const auto both = world.split(measured ? 0 : -1, world.rank());
    std::int64_t wrong = 0;
    if (both.size() == 2)
      for (const std::int64_t bytes : {1024, 262144})
        wrong += measure_progress(both, Side::receiver, bytes, 3, 1.0, run.damaged()).wrong;
    checks.equal("wrong bytes, progress", static_cast<double>(world.sum(wrong)), 0.0,
                 "bytes arrive as they were sent");
  }

 private:
  static Repetition repetition(const base::Parameters& parameters, int ranks) {
    return {way_named(parameters.text("way")), parameters.integer("n"),
            static_cast<int>(parameters.integer("iterations")), ranks};
  }

  static void wait_for_all(harness::Run& run, const Communicator& world) {
    auto phase = run.phases().scope("waiting for a group");
    world.barrier();
  }

  void measure(harness::Run& run, const Communicator& group, Way way, std::int64_t n,
               std::int64_t sample, bool loaded) {
    auto phase = run.phases().scope("loop");
    const auto iterations = static_cast<int>(run.parameters().integer("iterations"));
    const Outcome outcome = run_program(group, way, n, iterations, loaded);
    wrong_ += outcome.wrong;
    keep(run, way, n, group.size(), sample, loaded, group.maximum(outcome.seconds));
  }

  static void keep(harness::Run& run, Way way, std::int64_t n, int ranks, std::int64_t sample,
                   bool loaded, double seconds) {
    run.table("program").row({name_of(way), n, ranks, loaded ? 1 : 0, sample, seconds});
    if (!loaded || sample != 0 || n != lengths(run.parameters()).back()) return;
    if (way == Way::blocking) run.metrics().add("blocking", seconds);
    if (way == Way::persistent) run.metrics().add("persistent", seconds);
  }

  // All ways and lengths take turns, so that a drift of the machine meets all alike.
  void measure_group(harness::Run& run, const Communicator& group) {
    report_level(run, group);
    const std::int64_t samples = run.parameters().integer("samples");
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      run.progress(static_cast<double>(sample) / static_cast<double>(samples),
                   std::to_string(group.size()) + " ranks");
      for (const std::int64_t n : lengths(run.parameters()))
        for (const Way way : all_ways())
          for (const bool loaded : {false, true})
            if (loaded || way != Way::none) measure(run, group, way, n, sample, loaded);
    }
  }

  static void report_level(harness::Run& run, const Communicator& group) {
    const auto names = parallel::host_names(group);
    const std::set<std::string> hosts(names.begin(), names.end());
    if (group.rank() == 0)
      run.table("levels").row({group.size(), hosts.size(), hosts.size() > 1 ? "node" : "core"});
  }

  void measure_pair(harness::Run& run, const Communicator& both) {
    auto phase = run.phases().scope("progress");
    const auto& parameters = run.parameters();
    const auto tests = static_cast<int>(parameters.integer("tests"));
    for (std::int64_t sample = 0; sample < parameters.integer("samples"); ++sample)
      for (const std::int64_t bytes : message_sizes(parameters))
        for (const Side side : {Side::sender, Side::receiver})
          for (const int calls : {0, tests}) {
            const Progress found =
                measure_progress(both, side, bytes, calls, parameters.real("times_longer"));
            if (both.rank() == 0) wrong_ += found.wrong;
            run.table("progress")
                .row({side == Side::sender ? "sender" : "receiver", bytes, calls, sample,
                      found.alone_s, found.compute_s, found.wait_s});
          }
  }

  std::int64_t wrong_ = 0;
  std::unique_ptr<parallel::RemoteMemory> memory_;  // of way put alone, for all repetitions
};

}  // namespace
}  // namespace hakaru::probes::overlap

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::overlap::Overlap>();
}
