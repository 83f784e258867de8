#include "probes/messages/turns.hpp"

#include <algorithm>
#include <iterator>

#include "native/parallel/groups.hpp"
#include "probes/messages/experiments.hpp"
#include "probes/messages/handover.hpp"
#include "probes/messages/refill.hpp"
#include "probes/messages/sizes.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr int most_turns = 50;

// Parts of the time budget.
constexpr double ping_pong_share = 0.3, loggp_share = 0.35, collective_share = 0.25;
constexpr double long_share = 0.1;
constexpr double refill_share = 0.15;    // beside the others, between hosts
constexpr double sounding_share = 0.02;  // of the trains' time, to see how slow messages are

// The rounds of a part; null on ranks that take no share in it.
struct Series {
  std::string phase;
  std::unique_ptr<Rounds> rounds;
};

class Turns {
 public:
  Turns(harness::Run& run, const Between& between);
  void take();
  void narrow_limits();

 private:
  template <typename Make>
  void add(const std::string& phase, bool mine, const Make& make);
  void add_pair(std::size_t pair);
  bool across_hosts(int one, int other) const {
    return between_.placements[one].host != between_.placements[other].host;
  }
  // Until those that measure are ready, asleep.
  void wait();
  double share(double of_all) const { return parameters_.text("part") == "all" ? of_all : 1.0; }
  double pair_time_s(double of_all) const {
    return parameters_.real("time_s") * share(of_all) / static_cast<double>(between_.pairs.size());
  }
  std::vector<Point> begun(const parallel::Communicator& communicator, int last,
                           const std::string& part) const;
  std::unique_ptr<Rounds> ping_pongs(std::size_t pair);
  std::unique_ptr<Rounds> long_ping_pongs(std::size_t pair, std::int64_t from_bytes);
  std::unique_ptr<Rounds> refills(std::size_t pair);
  std::unique_ptr<Rounds> trains(std::size_t pair);
  std::unique_ptr<Rounds> collectives(std::size_t group);

  harness::Run& run_;
  const Between& between_;
  const base::Parameters& parameters_;
  int samples_;
  std::vector<std::unique_ptr<Collectives>> operations_;  // of each group
  std::vector<Series> series_;  // of every pair and group, in the same order on all ranks
};

Turns::Turns(harness::Run& run, const Between& between)
    : run_(run),
      between_(between),
      parameters_(run.parameters()),
      samples_(static_cast<int>(parameters_.integer("samples"))),
      operations_(between.groups.size()) {
  for (std::size_t i = 0; i < between.pairs.size(); ++i) add_pair(i);
  for (std::size_t i = 0; i < between.groups.size() && wants(parameters_, "collectives"); ++i)
    add("collectives", between.members[i]->size() > 0, [&] { return collectives(i); });
}

template <typename Make>
void Turns::add(const std::string& phase, bool mine, const Make& make) {
  series_.push_back({phase, nullptr});
  if (mine) {
    auto scope = run_.phases().scope(phase);
    series_.back().rounds = make();
  }
  wait();
}

void Turns::add_pair(std::size_t pair) {
  const bool mine = between_.messages[pair] != nullptr;
  if (wants(parameters_, "pingpong")) {
    add("ping-pong", mine, [&] { return ping_pongs(pair); });
    const std::int64_t longest = mine ? series_.back().rounds->longest_bytes() : 0;
    add("ping-pong", mine, [&] { return long_ping_pongs(pair, longest); });
    add("ping-pong", mine, [&] { return refills(pair); });
  }
  if (wants(parameters_, "loggp")) add("trains", mine, [&] { return trains(pair); });
}

void Turns::wait() {
  auto phase = run_.phases().scope("waiting for a pair");
  parallel::quiet_barrier(parallel::Communicator::world());
}

// What a round of this part begins with on one host; `last` is the communicator's last of all
// ranks.
std::vector<Point> Turns::begun(const parallel::Communicator& communicator, int last,
                                const std::string& part) const {
  if (across_hosts(0, last)) return {};
  return {handover_point(run_, communicator, last, part)};
}

void append(std::vector<Point>& points, std::vector<Point> more) {
  std::move(more.begin(), more.end(), std::back_inserter(points));
}

std::unique_ptr<Rounds> Turns::ping_pongs(std::size_t pair) {
  PointToPoint& messages = *between_.messages[pair];
  std::vector<Point> points =
      begun(messages.communicator(), between_.pairs[pair].second, "pingpong");
  const Pair& ranks = between_.pairs[pair];
  append(points,
         ping_pong_points(run_, messages, static_cast<int>(pair), ping_pong_sizes(parameters_),
                          across_hosts(ranks.first, ranks.second)));
  const Budget budget{pair_time_s(ping_pong_share), samples_};
  return std::make_unique<Rounds>(messages.communicator(), std::move(points), budget);
}

std::unique_ptr<Rounds> Turns::long_ping_pongs(std::size_t pair, std::int64_t from_bytes) {
  constexpr int most_samples = 7, least_samples = 3;
  if (!parameters_.text("sizes").empty()) return nullptr;
  PointToPoint& messages = *between_.messages[pair];
  const Budget budget{pair_time_s(long_share), std::min(samples_, most_samples), least_samples};
  std::vector<Point> longer = long_points(run_, messages, static_cast<int>(pair), from_bytes,
                                          parameters_.integer("long_bytes"), budget);
  if (longer.empty()) return nullptr;
  std::vector<Point> points = begun(messages.communicator(), between_.pairs[pair].second, "long");
  append(points, std::move(longer));
  return std::make_unique<Rounds>(messages.communicator(), std::move(points), budget);
}

std::unique_ptr<Rounds> Turns::refills(std::size_t pair) {
  constexpr int most_samples = 15, least_samples = 3;
  const Pair& ranks = between_.pairs[pair];
  if (!parameters_.text("sizes").empty() || !across_hosts(ranks.first, ranks.second))
    return nullptr;
  const parallel::Communicator& both = between_.messages[pair]->communicator();
  const Budget budget{pair_time_s(refill_share), std::min(samples_, most_samples), least_samples};
  return std::make_unique<Rounds>(both, refill_points(run_, both, static_cast<int>(pair)), budget);
}

std::unique_ptr<Rounds> Turns::trains(std::size_t pair) {
  PointToPoint& messages = *between_.messages[pair];
  const std::int64_t longest = parameters_.integer("maximum_bytes");
  const int train = static_cast<int>(parameters_.integer("train"));
  const Budget budget{pair_time_s(loggp_share), samples_};
  const auto known = sound(messages, longest, sounding_share * budget.seconds);
  const Thinning thinning =
      affordable(known, longest, static_cast<int>(parameters_.integer("sizes_per_octave")), train,
                 budget.seconds / budget.least_rounds);
  std::vector<Point> points = begun(messages.communicator(), between_.pairs[pair].second, "loggp");
  append(points, loggp_points(run_, messages, static_cast<int>(pair), train, thinning.spaced,
                              thinned_sizes(longest, thinning)));
  return std::make_unique<Rounds>(messages.communicator(), std::move(points), budget);
}

std::unique_ptr<Rounds> Turns::collectives(std::size_t group) {
  const std::int64_t longest = parameters_.integer("collective_bytes");
  const int ranks = between_.groups[group];
  const parallel::Communicator& members = *between_.members[group];
  const std::string level =
      widest_level(between_.placements, ranks, parameters_.text("across_hosts"));
  operations_[group] = std::make_unique<Collectives>(members, longest);
  std::vector<Point> points = begun(members, ranks - 1, "collectives");
  append(points, collective_points(run_, *operations_[group], ranks, level, longest));
  const double groups = static_cast<double>(between_.groups.size());
  const Budget budget{parameters_.real("time_s") * share(collective_share) / groups, samples_};
  return std::make_unique<Rounds>(members, std::move(points), budget);
}

void Turns::take() {
  const int turns = std::min(samples_, most_turns);
  for (int turn = 0; turn < turns; ++turn) {
    run_.progress(static_cast<double>(turn) / turns, "messages, in rounds");
    for (Series& one : series_) {
      if (one.rounds) {
        auto scope = run_.phases().scope(one.phase);
        one.rounds->take(turn, turns);
      }
      wait();
    }
  }
}

// Between which sizes sends begin to wait: of each pair that has trains.
void Turns::narrow_limits() {
  std::size_t pair = 0;
  for (const Series& one : series_) {
    if (one.phase != "trains") continue;
    if (one.rounds) {
      auto scope = run_.phases().scope(one.phase);
      narrow_eager_limit(run_, *between_.messages[pair], static_cast<int>(pair),
                         std::min(far_enough, one.rounds->longest_bytes()));
    }
    wait();
    ++pair;
  }
}

}  // namespace

bool wants(const base::Parameters& parameters, const std::string& part) {
  const std::string& wanted = parameters.text("part");
  return wanted == "all" || wanted == part;
}

std::vector<std::int64_t> ping_pong_sizes(const base::Parameters& parameters) {
  const std::int64_t longest = parameters.integer("maximum_bytes");
  return parse_sizes(parameters.text("sizes"), longest).value_or(powers_of_two(longest));
}

void measure_in_turns(harness::Run& run, const Between& between) {
  if (parallel::Communicator::world().rank() == 0)
    sample_clock(run, static_cast<int>(run.parameters().integer("samples")));
  Turns turns(run, between);
  turns.take();
  turns.narrow_limits();
}

}  // namespace hakaru::probes::messages
