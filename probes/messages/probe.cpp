// What messages cost: ping-pong, LogGP parameters, collective operations and simultaneous
// exchanges.
#include <algorithm>
#include <map>
#include <memory>

#include "native/base/system.hpp"
#include "native/harness/program.hpp"
#include "native/parallel/groups.hpp"
#include "probes/messages/experiments.hpp"
#include "probes/messages/handover.hpp"
#include "probes/messages/sizes.hpp"
#include "probes/messages/turns.hpp"
#include "probes/messages/verification.hpp"

namespace hakaru::probes::messages {
namespace {

using base::PhaseKind;

class MessagesProbe final : public harness::Program {
 public:
  base::Description describe() const override {
    constexpr std::int64_t mebibyte = 1 << 20;
    base::Description d("messages", "cost of messages: ping-pong, LogGP, collectives, exchanges");
    d.choice("part", "all", {"all", "pingpong", "loggp", "collectives"}, "what to measure")
        .integer("maximum_bytes", 4 * mebibyte, 1, 1024 * mebibyte, "B",
                 "longest message of a pair")
        .integer("long_bytes", 256 * mebibyte, 0, 1024 * mebibyte, "B",
                 "longest ping-pong beyond maximum_bytes, in steps of four times; each rank holds "
                 "twice that")
        .text("sizes", "",
              "ping-pong sizes in bytes, as 8,1024; empty: 0, 1, 2, 4, ... maximum_bytes")
        .integer("collective_bytes", mebibyte, 8, 1024 * mebibyte, "B",
                 "longest message of operations that all ranks take part in")
        .integer("samples", 25, 1, 100'000, "1",
                 "samples of every point, fewer when time_s is used up")
        .integer("train", 16, 2, 1024, "1", "messages of a train (n of PRTT)")
        .integer("sizes_per_octave", 4, 1, 32, "1", "message sizes between powers of two (LogGP)")
        .real("time_s", 18.0, 0.05, 86400.0, "s", "time to aim at")
        .choice("across_hosts", "node", {"node", "switch"},
                "network level of two hosts: below one switch, or across switches")
        .preset("small",
                {{"maximum_bytes", 65536},
                 {"long_bytes", 0},
                 {"collective_bytes", 16384},
                 {"samples", 7},
                 {"sizes_per_octave", 2},
                 {"time_s", 1.2}},
                "two seconds, up to 64 KiB")
        .phase("ping-pong", PhaseKind::communicate, "one message back and forth")
        .phase("trains", PhaseKind::communicate, "trains of messages and delayed receives (LogGP)")
        .phase("collectives", PhaseKind::communicate, "operations that all ranks take part in")
        .phase("waiting for a pair", PhaseKind::idle, "ranks that are not being measured")
        .metric("latency", "s", base::Better::lower,
                "half of the round trip of an empty message between ranks 0 and 1, median of the "
                "samples")
        .metric("bandwidth", "B/s", base::Better::higher,
                "longest message over half of its round trip, median of the samples")
        .limits(0, 1)
        .verifies({}, "contents of messages of every experiment")
        .size_meaning("longest message in bytes");
    describe_tables(d);
    describe_handover(d);
    return d;
  }

  base::Work work(const base::Parameters& parameters, const base::Layout& layout) const override;
  std::string refuse(const base::Parameters& parameters,
                     const base::Layout& layout) const override {
    if (layout.ranks < 2) return "it measures messages between ranks, which takes at least two";
    const std::string& list = parameters.text("sizes");
    if (!list.empty() && !parse_sizes(list, parameters.integer("maximum_bytes")))
      return "sizes=" + list + " is not a list like 8,1024 of at most maximum_bytes";
    return "";
  }
  void prepare(harness::Run& run) override;
  void repeat(harness::Run& run) override;
  void check(harness::Run& run, base::Checks& checks) override;
  void verify(harness::Run& run, base::Checks& checks) override {
    const auto world = parallel::Communicator::world();
    verify_messages(world, gather_placements(world), run.damaged(), checks);
  }

 private:
  void write_pairs(harness::Run& run) const;
  void check_contents(const base::Parameters& parameters);

  Between between_;
  std::int64_t wrong_bytes_ = 0, wrong_results_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The summary for people; rank 0 holds the rows.
void add_metrics(harness::Run& run) {
  const base::json table = run.table("pingpong").to_json();
  std::map<std::int64_t, std::vector<double>> seconds_of;
  for (const auto& row : table.at("rows"))
    if (row[0] == 0) seconds_of[row[1]].push_back(row[3]);
  if (seconds_of.empty()) return;
  const auto& [shortest, latencies_s] = *seconds_of.begin();
  const auto& [longest, transfers_s] = *seconds_of.rbegin();
  if (shortest == 0) run.metrics().add("latency", median(latencies_s));
  if (longest > 0)
    run.metrics().add("bandwidth", static_cast<double>(longest) / median(transfers_s));
}

// One iteration of every sample; as many more as time_s allows.
base::Work MessagesProbe::work(const base::Parameters& parameters,
                               const base::Layout& layout) const {
  const auto samples = static_cast<double>(parameters.integer("samples"));
  const auto train = static_cast<double>(parameters.integer("train"));
  base::PhaseWork ping_pong{"ping-pong"}, trains{"trains"}, collectives{"collectives"};
  const auto add = [samples](base::PhaseWork& phase, double messages, double bytes) {
    phase.messages += samples * messages;
    phase.message_bytes += samples * bytes;
    phase.calls += samples;
  };
  const std::int64_t longest = parameters.integer("maximum_bytes");
  if (wants(parameters, "pingpong"))
    for (auto bytes : ping_pong_sizes(parameters)) {
      const auto more = static_cast<double>(pieces_of(bytes).size() +
                                            works_before(bytes, base::own_cache_bytes()).size());
      add(ping_pong, 6.0 + 4.0 + 2.0 * more, (6.0 + 2.0 * more) * bytes);
    }
  if (wants(parameters, "loggp"))
    for (auto bytes : geometric_sizes(longest, parameters.integer("sizes_per_octave"))) {
      const double payloads = 2.0 + 2.0 * (train + 1.0) + 2.0;
      add(trains, payloads + 4.0, payloads * bytes);
    }
  const std::int64_t block = parameters.integer("collective_bytes");
  if (wants(parameters, "collectives"))
    for (int ranks : parallel::group_sizes(layout.ranks))
      for (auto operation : all_operations())
        for (auto bytes : sizes_of(operation, block, ranks)) {
          const Traffic traffic = traffic_of(operation, bytes, ranks);
          add(collectives, traffic.messages, traffic.bytes);
        }
  const double swept = wants(parameters, "pingpong") ? 2.0 * beyond_all : 0.0;
  const double buffers =
      4.0 * static_cast<double>(longest) + swept +
      2.0 * layout.ranks * static_cast<double>(buffer_bytes(block, layout.ranks));
  return {static_cast<double>(longest), buffers, {ping_pong, trains, collectives}};
}

void MessagesProbe::prepare(harness::Run& run) {
  const auto world = parallel::Communicator::world();
  const auto& parameters = run.parameters();
  between_.placements = gather_placements(world);
  between_.pairs = choose_pairs(between_.placements, parameters.text("across_hosts"));
  between_.groups = parallel::group_sizes(world.size());
  for (const auto& pair : between_.pairs) {
    auto both = join_pair(world, pair);
    between_.messages.push_back(
        both.size() == 0
            ? nullptr
            : std::make_unique<PointToPoint>(std::move(both), parameters.integer("maximum_bytes")));
  }
  for (int ranks : between_.groups) between_.members.emplace_back(join_first(world, ranks));
  check_contents(parameters);
}

void MessagesProbe::check_contents(const base::Parameters& parameters) {
  const auto world = parallel::Communicator::world();
  const std::int64_t longest = parameters.integer("maximum_bytes");
  const std::int64_t block = parameters.integer("collective_bytes");
  for (const auto& messages : between_.messages) {
    if (messages) {
      wrong_bytes_ += wrong_in_messages(*messages, ping_pong_sizes(parameters), false);
      wrong_bytes_ += wrong_in_messages(
          *messages, geometric_sizes(longest, parameters.integer("sizes_per_octave")), false);
    }
    parallel::quiet_barrier(world);
  }
  for (std::size_t i = 0; i < between_.groups.size() && wants(parameters, "collectives"); ++i) {
    if (between_.members[i]->size() > 0) {
      Collectives collectives(*between_.members[i], block);
      for (auto operation : all_operations())
        wrong_results_ +=
            wrong_in_operation(collectives, operation, block, between_.groups[i], false);
    }
    parallel::quiet_barrier(world);
  }
}

void MessagesProbe::write_pairs(harness::Run& run) const {
  for (std::size_t i = 0; i < between_.pairs.size(); ++i) {
    const Pair& pair = between_.pairs[i];
    const Placement &a = between_.placements[pair.first], &b = between_.placements[pair.second];
    run.table("pairs").row({i, pair.level, pair.first, pair.second, a.host, b.host, a.processor,
                            b.processor, a.package, b.package, a.core, b.core,
                            a.pinned && b.pinned ? 1 : 0, shared_cache_level(a, b)});
  }
}

void MessagesProbe::repeat(harness::Run& run) {
  write_pairs(run);
  measure_in_turns(run, between_);
  add_metrics(run);
}

void MessagesProbe::check(harness::Run&, base::Checks& checks) {
  const auto world = parallel::Communicator::world();
  checks.equal("wrong bytes in messages of all sizes",
               static_cast<double>(world.maximum(wrong_bytes_)), 0,
               "a message arrives as it was sent");
  checks.equal("wrong results of operations of all sizes",
               static_cast<double>(world.maximum(wrong_results_)), 0, "exact at every size");
}

}  // namespace
}  // namespace hakaru::probes::messages

std::unique_ptr<hakaru::harness::Program> hakaru::harness::make_program() {
  return std::make_unique<probes::messages::MessagesProbe>();
}
