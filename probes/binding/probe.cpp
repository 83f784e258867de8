// A program bound by bandwidth and one from all to all, under bindings of ranks to processors that
// are read back from the kernel.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "native/base/require.hpp"
#include "native/harness/program.hpp"
#include "probes/binding/description.hpp"
#include "probes/binding/programs.hpp"
#include "probes/binding/topology.hpp"

namespace hakaru::probes::binding {
namespace {

using parallel::Communicator;

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// What went wrong with one policy, summed over ranks.
struct Faults {
  std::int64_t not_bound = 0;  // the kernel says other processors than were wanted
  std::int64_t elsewhere = 0;  // the rank ran on none of them
  std::int64_t crowded = 0;    // ranks of a node on one core, though there are cores enough
};

class Binding final : public harness::Program {
 public:
  base::Description describe() const override { return description(); }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override {
    const double p = layout.ranks, turns = samples(parameters) * policies.size();
    const double elements = static_cast<double>(parameters.integer("array_bytes")) / 8.0;
    const double passes = turns * p * (1.0 + static_cast<double>(parameters.integer("passes")));
    const double calls = turns * (1.0 + static_cast<double>(parameters.integer("calls")));
    const double messages = calls * p * (p - 1.0);
    return {static_cast<double>(parameters.integer("array_bytes")),
            3.0 * 8.0 * elements * p,
            {{"triad", 2.0 * elements * passes, 24.0 * elements * passes, 32.0 * elements * passes,
              0, 0, turns * p},
             {"alltoall", 0, 0, 0, messages,
              messages * static_cast<double>(parameters.integer("message_bytes")), turns * p}}};
  }

  void prepare(harness::Run&) override { open(); }

  void repeat(harness::Run& run) override {
    faults_.fill({});
    wrong_ = 0;
    double fastest = 0.0, least_s = std::numeric_limits<double>::infinity();
    const Processors before = topology_->bound();
    const auto count = run.parameters().integer("samples");
    for (std::int64_t sample = 0; sample < count; ++sample) {
      run.progress(static_cast<double>(sample) / static_cast<double>(count), "samples");
      for (const Policy policy : policies) {
        bind(run, policy, sample == 0);
        const Sample triad = time_triad(run, policy, sample);
        const Sample alltoall = time_alltoall(run, policy, sample);
        look(policy);
        fastest = std::max(fastest, triad.bytes / triad.seconds);
        least_s = std::min(least_s, alltoall.seconds);
      }
    }
    topology_->bind(before);
    run.metrics().add("triad", fastest);
    run.metrics().add("alltoall", least_s);
  }

  void check(harness::Run&, base::Checks& checks) override { check_all(checks); }

  void verify(harness::Run& run, base::Checks& checks) override {
    open();
    faults_.fill({});
    const Processors before = topology_->bound();
    for (const Policy policy : policies) {
      bind(run, policy, false);
      if (run.damaged()) wanted_.push_back(wanted_.back() + 1);
      wrong_ += run_triad(*world_, 1 << 16, 2).wrong + run_alltoall(*world_, 512, 3).wrong;
      look(policy);
    }
    topology_->bind(before);
    check_all(checks);
  }

 private:
  struct Sample {
    double seconds, bytes;
  };

  static double samples(const base::Parameters& parameters) {
    return static_cast<double>(parameters.integer("samples"));
  }

  void open() {
    world_.emplace(Communicator::world());
    node_.emplace(world_->split_shared());
    topology_.emplace();
    wrong_ = 0;
  }

  void bind(harness::Run& run, Policy policy, bool tell) {
    wanted_ = topology_->chosen(policy, node_->rank(), node_->size());
    base::require_environment(
        world_->all(topology_->bind(wanted_)),
        fmt::format("ranks cannot be bound: {}", name_of(policy)), "the kernel refuses it",
        "run without a sandbox that forbids sched_setaffinity, or with more processors");
    if (!tell) return;
    const auto hosts = world_->gather_text(host_name(), 0);
    const auto wanted = world_->gather_text(words(wanted_), 0);
    const auto bound = world_->gather_text(words(topology_->bound()), 0);
    const auto seen = world_->gather(std::vector<int>{topology_->seen()}, 0);
    for (std::size_t rank = 0; rank < hosts.size(); ++rank)
      run.table("bindings")
          .row({name_of(policy), rank, hosts[rank], wanted[rank], bound[rank], seen[rank]});
  }

  Sample time_triad(harness::Run& run, Policy policy, std::int64_t sample) {
    auto phase = run.phases().scope("triad");
    const auto bytes = run.parameters().integer("array_bytes") / 8 * 8;
    const Outcome outcome =
        run_triad(*world_, static_cast<std::size_t>(bytes), run.parameters().integer("passes"));
    wrong_ += outcome.wrong;
    const double moved = 3.0 * static_cast<double>(bytes) * world_->size();
    run.table("times").row({name_of(policy), "triad", sample, outcome.seconds, moved});
    return {outcome.seconds, moved};
  }

  Sample time_alltoall(harness::Run& run, Policy policy, std::int64_t sample) {
    auto phase = run.phases().scope("alltoall");
    const auto bytes = run.parameters().integer("message_bytes");
    const Outcome outcome =
        run_alltoall(*world_, static_cast<std::size_t>(bytes), run.parameters().integer("calls"));
    wrong_ += outcome.wrong;
    const double moved = 1.0 * static_cast<double>(bytes) * world_->size() * (world_->size() - 1);
    run.table("times").row({name_of(policy), "alltoall", sample, outcome.seconds, moved});
    return {outcome.seconds, moved};
  }

  // After the programs ran: what the kernel says now. Collective.
  void look(Policy policy) {
    Faults& faults = faults_[static_cast<std::size_t>(policy)];
    const int seen = topology_->seen();
    faults.not_bound += world_->sum(topology_->bound() != wanted_ ? 1 : 0);
    const bool inside = std::find(wanted_.begin(), wanted_.end(), seen) != wanted_.end();
    faults.elsewhere += world_->sum(inside ? 0 : 1);
    const bool spreads = policy == Policy::scatter || policy == Policy::node_rank;
    const auto cores = node_->gather(std::vector<int>{topology_->core_of(seen)}, 0);
    const std::vector<int> sorted = [&] {
      auto copy = cores;
      std::sort(copy.begin(), copy.end());
      return copy;
    }();
    int crowded = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) crowded += sorted[i] == sorted[i - 1];
    const bool enough = spreads && node_->size() <= topology_->cores();
    faults.crowded += world_->sum(enough ? crowded : 0);
  }

  void check_all(base::Checks& checks) const {
    for (const Policy policy : policies) {
      const Faults& faults = faults_[static_cast<std::size_t>(policy)];
      const std::string name = fmt::format("{}: ", name_of(policy));
      checks.equal(name + "ranks bound otherwise", static_cast<double>(faults.not_bound), 0.0,
                   "what the kernel says after the programs ran is what was wanted");
      checks.equal(name + "ranks seen elsewhere", static_cast<double>(faults.elsewhere), 0.0,
                   "where each rank last ran is one of its processors");
      checks.equal(name + "ranks that share a core", static_cast<double>(faults.crowded), 0.0,
                   "scatter and node_rank give each rank a core of its own where there are enough");
    }
    checks.equal("wrong results", static_cast<double>(wrong_), 0.0,
                 "sums and bytes are those that were put in");
  }

  std::optional<Communicator> world_, node_;
  std::optional<Topology> topology_;
  Processors wanted_;
  std::array<Faults, policies.size()> faults_;
  std::int64_t wrong_ = 0;
};

}  // namespace
}  // namespace hakaru::probes::binding

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::binding::Binding>();
}
