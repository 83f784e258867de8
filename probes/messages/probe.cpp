// What messages cost: ping-pong, LogGP parameters, collective operations and simultaneous
// exchanges.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "native/harness/program.hpp"
#include "native/parallel/groups.hpp"
#include "probes/messages/experiments.hpp"
#include "probes/messages/sizes.hpp"
#include "probes/messages/verification.hpp"

namespace hakaru::probes::messages {
namespace {

using base::PhaseKind;

// Parts of the time budget.
constexpr double sounding_share = 0.02;  // of the trains' time, to see how slow messages are
constexpr double ping_pong_share = 0.3, loggp_share = 0.35, collective_share = 0.25;
constexpr double long_share = 0.1;

std::vector<std::int64_t> ping_pong_sizes(const base::Parameters& parameters) {
  const std::int64_t longest = parameters.integer("maximum_bytes");
  return parse_sizes(parameters.text("sizes"), longest).value_or(powers_of_two(longest));
}

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
  bool wants(const std::string& part) const { return part_ == "all" || part_ == part; }
  double share(double of_all) const { return part_ == "all" ? of_all : 1.0; }
  void write_pairs(harness::Run& run) const;
  void check_contents(const base::Parameters& parameters);
  void measure_pair(harness::Run& run, std::size_t index);
  void measure_group(harness::Run& run, std::size_t index);

  std::string part_;
  std::vector<Placement> placements_;
  std::vector<Pair> pairs_;
  std::vector<int> groups_;
  std::vector<std::unique_ptr<PointToPoint>> messages_;  // null where this rank is not of the pair
  std::vector<std::optional<parallel::Communicator>> members_;
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
  const std::string& part = parameters.text("part");
  base::PhaseWork ping_pong{"ping-pong"}, trains{"trains"}, collectives{"collectives"};
  const auto add = [samples](base::PhaseWork& phase, double messages, double bytes) {
    phase.messages += samples * messages;
    phase.message_bytes += samples * bytes;
    phase.calls += samples;
  };
  const std::int64_t longest = parameters.integer("maximum_bytes");
  if (part == "all" || part == "pingpong")
    for (auto bytes : ping_pong_sizes(parameters)) {
      const auto more = static_cast<double>(pieces_of(bytes).size() + works_before(bytes).size());
      add(ping_pong, 6.0 + 4.0 + 2.0 * more, (6.0 + 2.0 * more) * bytes);
    }
  if (part == "all" || part == "loggp")
    for (auto bytes : geometric_sizes(longest, parameters.integer("sizes_per_octave"))) {
      const double payloads = 2.0 + 2.0 * (train + 1.0) + 2.0;
      add(trains, payloads + 4.0, payloads * bytes);
    }
  const std::int64_t block = parameters.integer("collective_bytes");
  if (part == "all" || part == "collectives")
    for (int ranks : parallel::group_sizes(layout.ranks))
      for (auto operation : all_operations())
        for (auto bytes : sizes_of(operation, block, ranks)) {
          const Traffic traffic = traffic_of(operation, bytes, ranks);
          add(collectives, traffic.messages, traffic.bytes);
        }
  const double swept = part == "all" || part == "pingpong" ? 2.0 * long_sweep : 0.0;
  const double buffers =
      4.0 * static_cast<double>(longest) + swept +
      2.0 * layout.ranks * static_cast<double>(buffer_bytes(block, layout.ranks));
  return {static_cast<double>(longest), buffers, {ping_pong, trains, collectives}};
}

void MessagesProbe::prepare(harness::Run& run) {
  const auto world = parallel::Communicator::world();
  const auto& parameters = run.parameters();
  part_ = parameters.text("part");
  placements_ = gather_placements(world);
  pairs_ = choose_pairs(placements_, parameters.text("across_hosts"));
  groups_ = parallel::group_sizes(world.size());
  for (const auto& pair : pairs_) {
    auto both = join_pair(world, pair);
    messages_.push_back(
        both.size() == 0
            ? nullptr
            : std::make_unique<PointToPoint>(std::move(both), parameters.integer("maximum_bytes")));
  }
  for (int ranks : groups_) members_.emplace_back(join_first(world, ranks));
  check_contents(parameters);
}

void MessagesProbe::check_contents(const base::Parameters& parameters) {
  const auto world = parallel::Communicator::world();
  const std::int64_t longest = parameters.integer("maximum_bytes");
  const std::int64_t block = parameters.integer("collective_bytes");
  for (const auto& messages : messages_) {
    if (messages) {
      wrong_bytes_ += wrong_in_messages(*messages, ping_pong_sizes(parameters), false);
      wrong_bytes_ += wrong_in_messages(
          *messages, geometric_sizes(longest, parameters.integer("sizes_per_octave")), false);
    }
    parallel::quiet_barrier(world);
  }
  for (std::size_t i = 0; i < groups_.size() && wants("collectives"); ++i) {
    if (members_[i]->size() > 0) {
      Collectives collectives(*members_[i], block);
      for (auto operation : all_operations())
        wrong_results_ += wrong_in_operation(collectives, operation, block, groups_[i], false);
    }
    parallel::quiet_barrier(world);
  }
}

void MessagesProbe::write_pairs(harness::Run& run) const {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const Placement &a = placements_[pair.first], &b = placements_[pair.second];
    run.table("pairs").row({i, pair.level, pair.first, pair.second, a.host, b.host, a.processor,
                            b.processor, a.package, b.package, a.core, b.core,
                            a.pinned && b.pinned ? 1 : 0, shared_cache_level(a, b)});
  }
}

void MessagesProbe::measure_pair(harness::Run& run, std::size_t index) {
  PointToPoint& messages = *messages_[index];
  const auto& parameters = run.parameters();
  const std::int64_t longest = parameters.integer("maximum_bytes");
  const double time_s = parameters.real("time_s") / static_cast<double>(pairs_.size());
  const int samples = static_cast<int>(parameters.integer("samples"));
  const int pair = static_cast<int>(index);
  if (wants("pingpong")) {
    auto phase = run.phases().scope("ping-pong");
    const std::vector<Point> points =
        ping_pong_points(run, messages, pair, ping_pong_sizes(parameters));
    const std::size_t measured = measure_in_rounds(
        messages.communicator(), points, {time_s * share(ping_pong_share), samples},
        [&](double f) { run.progress(ping_pong_share * f, "ping-pong"); });
    constexpr int most_long_samples = 7;
    if (parameters.text("sizes").empty() && measured > 0)
      measure_long(run, messages, pair, points[measured - 1].bytes,
                   parameters.integer("long_bytes"),
                   {time_s * share(long_share), std::min(samples, most_long_samples)});
  }
  if (wants("loggp")) {
    auto phase = run.phases().scope("trains");
    const int train = static_cast<int>(parameters.integer("train"));
    const Budget budget{time_s * share(loggp_share), samples};
    const auto known = sound(messages, longest, sounding_share * budget.seconds);
    const Thinning thinning =
        affordable(known, longest, static_cast<int>(parameters.integer("sizes_per_octave")), train,
                   budget.seconds / budget.least_rounds);
    const std::vector<Point> points =
        loggp_points(run, messages, pair, train, thinning.spaced, thinned_sizes(longest, thinning));
    const std::size_t measured = measure_in_rounds(
        messages.communicator(), points, budget,
        [&](double f) { run.progress(ping_pong_share + loggp_share * f, "trains of messages"); });
    if (measured > 0)
      narrow_eager_limit(run, messages, pair, std::min(far_enough, points[measured - 1].bytes));
  }
}

void MessagesProbe::measure_group(harness::Run& run, std::size_t index) {
  auto phase = run.phases().scope("collectives");
  const auto& parameters = run.parameters();
  const std::int64_t longest = parameters.integer("collective_bytes");
  const std::string level =
      widest_level(placements_, groups_[index], parameters.text("across_hosts"));
  Collectives collectives(*members_[index], longest);
  const double time_s = parameters.real("time_s") * share(collective_share);
  const double done = ping_pong_share + loggp_share;
  const double step = collective_share / static_cast<double>(groups_.size());
  measure_in_rounds(
      *members_[index], collective_points(run, collectives, groups_[index], level, longest),
      {time_s / static_cast<double>(groups_.size()),
       static_cast<int>(parameters.integer("samples"))},
      [&](double f) { run.progress(done + step * (index + f), "collective operations"); });
}

void MessagesProbe::repeat(harness::Run& run) {
  const auto world = parallel::Communicator::world();
  write_pairs(run);
  if (world.rank() == 0) sample_clock(run, static_cast<int>(run.parameters().integer("samples")));
  const auto take_turns = [&](bool mine, auto measure) {
    if (mine) measure();
    auto phase = run.phases().scope("waiting for a pair");
    parallel::quiet_barrier(world);
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    take_turns(messages_[i] != nullptr, [&] { measure_pair(run, i); });
  for (std::size_t i = 0; i < groups_.size() && wants("collectives"); ++i)
    take_turns(members_[i]->size() > 0, [&] { measure_group(run, i); });
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
