// Collectives by named algorithms beside the MPI library's own choice, by length and ranks.
#include <algorithm>
#include <set>

#include "native/harness/program.hpp"
#include "native/parallel/groups.hpp"
#include "probes/collectives/operations.hpp"
#include "probes/collectives/sampling.hpp"

namespace hakaru::probes::collectives {
namespace {

using base::PhaseKind;
using parallel::Communicator;

std::vector<std::int64_t> sizes_of(const base::Parameters& parameters) {
  std::vector<std::int64_t> sizes;
  const std::int64_t longest = parameters.integer("maximum_bytes") / 8 * 8;
  for (std::int64_t bytes = 8; bytes < longest; bytes *= 4) sizes.push_back(bytes);
  sizes.push_back(longest);
  return sizes;
}

std::vector<std::string> chosen(const base::Parameters& parameters) {
  const std::string one = parameters.text("collective");
  return one == "all" ? all_collectives() : std::vector<std::string>{one};
}

class CollectivesProbe final : public harness::Program {
 public:
  base::Description describe() const override {
    base::Description d("collectives", "collectives by algorithm, length and number of ranks");
    d.choice("collective", "all", {"all", "allgather", "alltoall", "allreduce", "broadcast"},
             "which one")
        .integer("maximum_bytes", 1 << 20, 8, 1 << 28, "B", "longest block or vector")
        .integer("samples", 11, 1, 100'000, "1", "samples of every point")
        .real("sample_s", 0.002, 1e-6, 10.0, "s", "time of a sample to aim at")
        .preset("small", {{"maximum_bytes", 8192}, {"samples", 5}, {"sample_s", 0.0003}},
                "a second")
        .phase("collectives", PhaseKind::communicate, "every algorithm, every length")
        .phase("waiting for a group", PhaseKind::idle, "ranks that are not being measured")
        .table("levels", {{"ranks", "1"}, {"hosts", "1"}, {"level", "text"}},
               "core: the ranks share a host; node: they do not")
        .table(
            "collectives",
            {{"collective", "text"},
             {"algorithm", "text"},
             {"ranks", "1"},
             {"bytes", "1"},
             {"repetition", "1"},
             {"seconds", "s"}},
            "time of one operation on the slowest rank, mean over those of a sample; bytes: a "
            "rank's block (allgather), the block for one rank (alltoall), the vector (allreduce, "
            "broadcast)")
        .table("settings", {{"collective", "text"}, {"algorithm", "text"}, {"openmpi", "text"}},
               "what makes Open MPI take the algorithm: a variable's name and its value")
        .limits(0, 1)
        .verifies({}, "every algorithm with blocks of 8 to 100,000 bytes")
        .size_meaning("longest block or vector in bytes");
    return d;
  }

  std::string refuse(const base::Parameters&, const base::Layout& layout) const override {
    return layout.ranks < 2 ? "it exchanges messages between ranks, which takes at least two" : "";
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    const auto longest = static_cast<double>(sizes_of(parameters).back());
    double points = 0;
    for (const std::string& collective : chosen(parameters))
      points += static_cast<double>(algorithms_of(collective).size() * sizes_of(parameters).size() *
                                    parallel::group_sizes(layout.ranks).size());
    return {longest,
            2.0 * longest * layout.ranks * layout.ranks,
            {{"collectives", 0, 0, 0, 0, 0,
              points * static_cast<double>(parameters.integer("samples"))}}};
  }

  void repeat(harness::Run& run) override {
    const auto world = Communicator::world();
    if (world.rank() == 0) report_settings(run);
    for (const int ranks : parallel::group_sizes(world.size())) {
      const auto group = world.split(world.rank() < ranks ? 0 : -1, world.rank());
      if (group.size() > 0) measure(run, group);
      auto phase = run.phases().scope("waiting for a group");
      parallel::quiet_barrier(world);
    }
  }

  void check(harness::Run& run, base::Checks& checks) override {
    compare(run, {8, sizes_of(run.parameters()).back()}, false, checks);
  }

  void verify(harness::Run& run, base::Checks& checks) override {
    compare(run, {8, 24, 1000, 65'536, 100'000}, run.damaged(), checks);
  }

 private:
  static void measure(harness::Run& run, const Communicator& group) {
    report_level(run, group);
    auto phase = run.phases().scope("collectives");
    const auto& parameters = run.parameters();
    Operations operations(group, sizes_of(parameters).back());
    std::vector<Point> points;
    for (const std::string& collective : chosen(parameters))
      for (const std::int64_t bytes : sizes_of(parameters))
        for (const std::string& algorithm : algorithms_of(collective))
          points.push_back(
              {[&operations, collective, algorithm, bytes] {
                 operations.run(collective, algorithm, bytes);
               },
               [&run, collective, algorithm, bytes, ranks = group.size()](int i, double seconds) {
                 run.table("collectives").row({collective, algorithm, ranks, bytes, i, seconds});
               }});
    sample_in_turns(
        group, points, static_cast<int>(parameters.integer("samples")), parameters.real("sample_s"),
        [&](double done) { run.progress(done, std::to_string(group.size()) + " ranks"); });
  }

  static void report_settings(harness::Run& run) {
    for (const std::string& collective : chosen(run.parameters()))
      for (const Setting& one : settings_of(collective))
        run.table("settings").row({collective, one.algorithm, one.openmpi});
  }

  static void report_level(harness::Run& run, const Communicator& group) {
    const auto names = parallel::host_names(group);
    const std::set<std::string> hosts(names.begin(), names.end());
    if (group.rank() == 0)
      run.table("levels").row({group.size(), hosts.size(), hosts.size() > 1 ? "node" : "core"});
  }

  static void compare(harness::Run& run, const std::vector<std::int64_t>& sizes, bool damage,
                      base::Checks& checks) {
    const auto world = Communicator::world();
    Operations operations(world, *std::max_element(sizes.begin(), sizes.end()));
    for (const std::string& collective : chosen(run.parameters()))
      for (const std::string& algorithm : algorithms_of(collective)) {
        if (algorithm == library) continue;
        std::int64_t wrong = 0;
        for (const std::int64_t bytes : sizes)
          wrong += operations.wrong(collective, algorithm, bytes, damage);
        checks.equal("wrong bytes, " + collective + " by " + algorithm,
                     static_cast<double>(world.sum(wrong)), 0.0,
                     "the MPI library's result, on whole numbers");
      }
  }
};

}  // namespace
}  // namespace hakaru::probes::collectives

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::collectives::CollectivesProbe>();
}
