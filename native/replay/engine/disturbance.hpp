// Messages that are disturbed: by receivers that compute while they come, send, or receive others,
// and by caches that computing has filled (docs/explanation/replay.md, "Disturbed messages"). A
// plain run has none of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "native/replay/engine/actor.hpp"
#include "native/replay/engine/paths.hpp"

namespace hakaru::replay {

template <class Timing>
class Disturbance {
 public:
  explicit Disturbance(const Given<Timing>& given)
      : given_(given),
        paths_(given.network),
        memory_bytes_(given.schedule.memory_bytes > 0
                          ? static_cast<double>(given.schedule.memory_bytes)
                          : INFINITY),
        senses_(!Timing::plain && tells_cold(given.schedule)),
        recent_(Timing::plain ? 0 : given.ranks()) {}

  void waited_until(std::int32_t rank, double time_s) {
    Recent& recent = of(rank);
    if (recent.computes.from < recent.computes.to) recent.computed_last = recent.computes;
    recent.computes = {time_s, time_s};
  }
  // What the tracer did computes no data.
  void computed(std::int32_t rank, double begin_s, double end_s,
                const schedule::Operation& computing) {
    Recent& recent = of(rank);
    if (recent.computes.from == recent.computes.to) recent.computes.from = begin_s;
    recent.computes.to = end_s;
    recent.busy_s += end_s - begin_s;
    recent.computed_s += std::max(end_s - begin_s - 1e-9 * computing.tag, 0.0);
    if (computing.cold_s > 0) recent.left_cold(computing.cold_s);
  }
  // By how much longer such computing takes: what it goes over, at most all that the rank uses, has
  // left the caches since the rank last went over as much.
  double refilling_s(std::int32_t rank, double begin_s, double seconds) {
    const Refilling& refilling = farthest(rank).refilling;
    if (refilling.empty() || std::isinf(memory_bytes_)) return 0.0;
    const double bytes = std::min(refilling.gone_over(seconds), memory_bytes_);
    std::vector<double>& until = of(rank).gone_over;
    const std::size_t sweep = refilling.sweep(bytes);
    if (until.size() <= sweep) until.resize(sweep + 1, INFINITY);
    const double longer_s = refilling.longer_s(std::max(begin_s - until[sweep], 0.0), bytes);
    std::fill_n(until.begin(), sweep + 1, begin_s + seconds + longer_s);
    return longer_s;
  }
  // By which a send takes longer. The first of its protocol after computing finds cold what every
  // message needs, and each its data, since such a message was sent before, or new.
  struct Cold {
    double call_s = 0, data_s = 0;
    double worked_s = 0;  // the rank, since the one before
  };
  Cold send_after_work(std::int32_t rank, const Level& level, std::uint64_t bytes, std::int32_t to,
                       std::int32_t tag) {
    Recent& recent = of(rank);
    recent.called_s = recent.computed_s;
    const Worked worked =
        computed_since(recent, recent.last[bytes <= level.eager_limit_bytes ? 0 : 1]);
    if (level.after_work.empty() && level.first_uses.empty()) return {0, 0, worked.seconds};
    SentData& data = recent.sent_before({to, tag, bytes});
    const double fresh_s = recent.forgot() ? 0.0 : level.first_use_s(data.uses++, bytes);
    const double cold_s =
        level.data_after_work_s(worked_on(recent, data, level), bytes, memory_bytes_);
    return {level.after_work.at(worked, 1, memory_bytes_), std::max(cold_s, fresh_s),
            worked.seconds};
  }
  // The rank begins to receive a message that it will wait for.
  void begins(std::int32_t rank) { of(rank).called_s = of(rank).computed_s; }
  // What posting its receive takes, of another rank's.
  double posting_s(std::int32_t rank, const Level& level, std::uint64_t bytes) {
    Recent& recent = of(rank);
    const SizeClass& costs = level.of(bytes);
    const double apart_s = recent.busy_s - std::exchange(recent.busy_posted_s, recent.busy_s);
    return costs.posting_apart_s + level.crowd(apart_s) * (costs.posting_s - costs.posting_apart_s);
  }
  // By which a wait for it takes longer after computing: the call finds cold what every message
  // needs, as the one did that began it. For the next wait it is warm.
  double wait_after_work(std::int32_t rank, const Level& level) {
    Recent& recent = of(rank);
    const Worked worked = computed_since(recent, recent.called_s);
    if (worked.seconds <= 0.0 || !level.sending.empty()) return 0.0;
    return level.after_work.at(worked, 1, memory_bytes_);
  }
  // By which a put or a get takes longer, as its data are cold.
  double access_after_work(std::int32_t rank, const Level& level, std::int32_t target,
                           std::int32_t flag, std::uint64_t bytes, const AccessPrice& price) {
    if (level.after_work.empty() && !price.new_s) return 0.0;
    Recent& recent = of(rank);
    SentData& data = recent.sent_before({target, flag, bytes});
    if (!price.new_s)
      return level.data_after_work_s(worked_on(recent, data, level), bytes, memory_bytes_);
    const double least_s = computing_per_copy * price.call_s;
    const double worked_s = worked_on(recent, data, least_s, least_s).seconds;
    return worked_s < least_s ? worked_s / least_s * *price.new_s : *price.new_s;
  }
  // The receiver's processor moves the data of a message that arrives then, for so long.
  void arrives_cold(std::int32_t rank, double arrival_s, double cold_s) {
    std::vector<std::pair<double, double>>& cold = of(rank).cold;
    if (cold.size() == most_data) cold.erase(cold.begin());
    cold.emplace_back(arrival_s, cold_s);
  }
  // From the beginning of the send to the arrival; `crowd`: when it was called.
  void sent(std::int32_t rank, double crowd, double from_s, double to_s) {
    Recent& recent = of(rank);
    recent.crowd = crowd;
    recent.sent_from = from_s;
    recent.sent_to = to_s;
  }
  // Of what the rank begins then: how long after a receive, or a call like one.
  double apart_s(std::int32_t rank, double from_s) {
    return std::max(from_s - of(rank).received, 0.0);  // from_s is rounded
  }
  double busy_since_received_s(std::int32_t rank) {
    return of(rank).busy_s - of(rank).busy_received_s;
  }
  // How soon after any call of one side or a receive it begins one of one side.
  double soon(std::int32_t rank, const Level& level, double from_s) {
    return level.crowd(std::min(apart_s(rank, from_s), from_s - of(rank).accessed));
  }
  // The rank is done with a call of one side.
  void accessed(std::int32_t rank, double time_s) { of(rank).accessed = time_s; }
  // The rank is done with a call that receives at a price of its own.
  void met(std::int32_t rank, double time_s) { received(rank, -1, time_s, 0.0); }
  void received(std::int32_t rank, std::int32_t from, double time_s, double overhead_s) {
    of(rank).receives = time_s - overhead_s;
    of(rank).received = time_s;
    of(rank).busy_received_s = of(rank).busy_s;
    of(rank).received_from = from;
  }
  // Of one for which the rank has waited since `ready_s`. Where processors serve the network, it is
  // free so long after that as such a receive keeps it. Else where it had to wait no longer than it
  // received another from that rank, or both had arrived when it began to receive that, the library
  // took them from the network together, and this takes no more than its turn among many,
  // g + G (s - 1).
  double receive_overhead_s(const Actor& self, std::int32_t from, double ready_s, double arrival_s,
                            const Level& level, std::uint64_t bytes, double posted_s = 0.0) {
    const Recent& recent = of(self.rank);
    const SizeClass& costs = level.of(bytes);
    if (const auto kept_s = level.kept_by_receive_s(bytes); kept_s && from != self.rank)
      return arrival_s <= ready_s
                 ? *kept_s
                 : std::max(costs.receive_overhead_s, *kept_s - (arrival_s - ready_s));
    const bool together = self.clock <= recent.received || arrival_s <= recent.receives;
    if (!together || from != recent.received_from || from == self.rank)
      return costs.receive_overhead_s;
    return std::min(costs.receive_overhead_s,
                    std::max(costs.gap_s + costs.transmission_s(bytes) - posted_s, 0.0));
  }
  // The rank was in a send until its message was received.
  void held(std::int32_t rank, const schedule::Operation* send, double from_s, double to_s) {
    Recent& recent = of(rank);
    recent.held_by = send;
    recent.held_from = from_s;
    recent.held_to = to_s;
  }
  // When the library, waiting in that send, begins to receive a message that arrives at
  // `arrival_s` for a receive posted before it.
  std::optional<double> received_in_send(std::int32_t rank, const schedule::Operation* posted,
                                         double arrival_s) {
    const Recent& recent = of(rank);
    if (posted >= recent.held_by || arrival_s >= recent.held_to) return std::nullopt;
    return std::max(arrival_s, recent.held_from);
  }
  // When a message that was to arrive at `arrival_s` does so on a disturbed level.
  // `posted_s`: what posting its receive took by itself.
  double arrival(const Actor& actor, std::int32_t from, double arrival_s, std::uint64_t bytes,
                 double posted_s = 0.0);
  // The same where the receiver's NIC drains messages one after another, in the order in which the
  // rank completes its receives.
  double serialised(const Actor& actor, std::int32_t from, double arrival_s, std::uint64_t bytes);

 private:
  static constexpr std::size_t most_data = 64;
  static constexpr double moved_by_network = 0.5;    // progress from which processors do not
  static constexpr double computing_per_copy = 8.0;  // of data that are computed, at least
  struct SentData {
    std::int32_t to, tag;
    std::uint64_t bytes;
    double computed_s = 0;
    bool known = false;
    Worked row;  // of the computing before a row of them, what it has not used up
    std::uint32_t uses = 0;
    bool is(const SentData& other) const {
      return to == other.to && tag == other.tag && bytes == other.bytes;
    }
  };
  struct Span {
    double from = 0, to = 0;
  };
  // The rank's computing since it last waited and the last before, its last message to another, its
  // last attended send, when its NIC is done with what it received, and how long it had computed by
  // its last messages.
  struct Recent {
    Span computes, computed_last;
    double sent_from = 0, sent_to = 0;
    double receives = -INFINITY, received = -INFINITY;  // the last receive, by the processor
    double accessed = -INFINITY;                        // the last call of one side
    double crowd = 0;                                   // 1: the last send came right after one
    std::int32_t received_from = -1;
    double held_from = 0, held_to = 0;
    const schedule::Operation* held_by = nullptr;
    double drained = 0;
    double computed_s = 0;               // in all
    double busy_s = 0;                   // the same with what the tracer did
    double busy_received_s = -INFINITY;  // of it, by the last receive
    double busy_posted_s = -INFINITY;    // and by the last that was posted
    double called_s = 0;                 // of it, by the last call that cold ones pay for
    std::array<double, 2> last{};        // of it, sent eagerly and by rendezvous
    // Spells of computing that left caches colder than all after them: computed_s at their ends.
    std::vector<std::pair<double, double>> colder;
    std::vector<SentData> data;                   // what it sent last
    std::size_t next = 0;                         // of them the oldest
    std::vector<std::pair<double, double>> cold;  // arrivals of cold data, and how long they take
    Span moved{-INFINITY, -INFINITY};             // when its processor moved the last message
    std::vector<double> gone_over;                // until when over as much as each sweep does

    double cold_of(double arrival_s) {
      const auto place = std::find_if(cold.begin(), cold.end(),
                                      [&](const auto& one) { return one.first == arrival_s; });
      if (place == cold.end()) return 0.0;
      const double cold_s = place->second;
      cold.erase(place);
      return cold_s;
    }

    void left_cold(double cold_s) {
      while (!colder.empty() && colder.back().second <= cold_s) colder.pop_back();
      colder.emplace_back(computed_s, cold_s);
    }
    double coldest_since(double then_s) const {
      const auto after =
          std::upper_bound(colder.begin(), colder.end(), then_s,
                           [](double then, const auto& one) { return then < one.first; });
      return after == colder.end() ? 0.0 : after->second;
    }
    // What it knows of such data: nothing of those that it sends for the first time.
    SentData& sent_before(const SentData& one) {
      const auto place = std::find_if(data.begin(), data.end(),
                                      [&](const SentData& other) { return one.is(other); });
      if (place != data.end()) return *place;
      if (data.size() < most_data) return data.emplace_back(one);
      return data[next++ % most_data] = one;
    }
    bool forgot() const { return next > 0; }
  };
  Recent& of(std::int32_t rank) { return recent_[static_cast<std::size_t>(rank)]; }
  Worked computed_since(const Recent& recent, double& then_s) const {
    const double before_s = std::exchange(then_s, recent.computed_s);
    return {recent.computed_s - before_s, senses_ ? recent.coldest_since(before_s) : -1.0};
  }
  // The computing that such data come from. What is sent again after less than `row_s` of it are
  // others, computed before the first of the row; each uses up `each_s`.
  Worked worked_on(const Recent& recent, SentData& one, double row_s, double each_s) const {
    const Worked since = computed_since(recent, one.computed_s);
    const Worked worked = since.seconds < row_s ? one.row : since;
    const bool rows = std::exchange(one.known, true);
    one.row =
        rows && worked.seconds > each_s ? Worked{worked.seconds - each_s, worked.cold_s} : Worked{};
    return worked;
  }
  // Of messages only long ones come in rows, after less computing than it takes to go over them.
  Worked worked_on(const Recent& recent, SentData& one, const Level& level) const {
    const double over_s = level.of(one.bytes).transmission_s(one.bytes);
    const double each_s =
        one.bytes > level.eager_limit_bytes ? computing_per_copy * over_s : INFINITY;
    double then_s = one.computed_s;
    const Worked since = computed_since(recent, then_s);
    const Worked worked = worked_on(recent, one, over_s, each_s);
    return since.seconds > worked.seconds ? since : worked;
  }
  const Level& farthest(std::int32_t rank) const {
    const std::int32_t last = given_.schedule.ranks - 1;
    return last == 0 ? given_.network.self() : given_.network.level(rank, rank == 0 ? last : 0);
  }
  static bool tells_cold(const schedule::Schedule& schedule) {
    return std::any_of(schedule.streams.begin(), schedule.streams.end(), [](const auto& stream) {
      return std::any_of(stream.begin(), stream.end(),
                         [](const schedule::Operation& one) { return one.cold_s >= 0; });
    });
  }
  static double slowed(const Span& computing, double flight_s, double share, double hidden_s,
                       double arrival_s);
  static double moved(Recent& recent, double there_s, double soonest_s, double takes_s);
  double progress(const SizeClass& costs, bool eager) const {
    if (given_.options.progress == Progress::hardware) return 1.0;
    return given_.options.progress == Progress::in_calls && !eager ? 0.0 : costs.progress;
  }

  const Given<Timing>& given_;
  const Paths paths_;
  const double memory_bytes_;  // that a rank uses
  const bool senses_;          // how cold computing leaves caches
  std::vector<Recent> recent_;
};

// The message needs the last F = n L + G (s - 1) before its arrival, n = 1, or 2 by rendezvous
// (from the answer on), and longer if its data are cold. What of that falls into the rank's
// computing [c0, c1] went at the speed p: done by c1 is what lies before c0 and p (c1 - c0), the
// rest follows at full speed.
template <class Timing>
double Disturbance<Timing>::slowed(const Span& computing, double flight_s, double share,
                                   double hidden_s, double arrival_s) {
  const double from_s = std::max(computing.from, arrival_s - flight_s);
  const double left_s = arrival_s - from_s;  // at full speed, when the computing begins
  if (share >= 1 || left_s <= 0 || computing.to <= from_s) return arrival_s;
  const double computing_s = computing.to - from_s;
  const double done_s = share * std::min(computing_s, hidden_s);
  return done_s >= left_s ? from_s + left_s / share : computing.to + left_s - done_s;
}

template <class Timing>
double Disturbance<Timing>::arrival(const Actor& self, std::int32_t from, double arrival_s,
                                    std::uint64_t bytes, double posted_s) {
  if (from == self.rank || self.helper) return arrival_s;
  Recent& recent = of(self.rank);
  const Path way = paths_.between(from, self.rank);
  const SizeClass& costs = way.level->of(bytes);
  const bool eager = bytes <= way.level->eager_limit_bytes;
  const double cold_s = recent.cold_of(arrival_s);
  const double moving_s = costs.transmission_s(bytes) + cold_s;
  const double flight_s =
      std::max(moving_s + (eager ? 1 : 2) * way.latency_s + costs.later(bytes), 0.0);
  const double begin_s = arrival_s - flight_s - costs.send_overhead_s;
  const bool crosses = recent.sent_from < arrival_s && recent.sent_to > begin_s;
  const double crossing_s =
      crosses ? std::max(costs.crossing_s - posted_s, 0.0) + recent.crowd * costs.crowding_s : 0.0;
  const double share = progress(costs, eager), way_s = flight_s + crossing_s;
  const bool by_network = eager || share >= moved_by_network;
  const auto after = [&](const Span& computing) {
    return slowed(computing, way_s, share, by_network ? INFINITY : way_s - cold_s,
                  arrival_s + crossing_s);
  };
  const double there_s = after(recent.computes);
  if (by_network) return there_s;
  const double turn_s = std::min(costs.gap_s + moving_s, flight_s);
  return moved(recent, there_s, after(recent.computed_last),
               crosses ? std::max(turn_s, costs.crossing_turn_s) : turn_s);
}

// A processor that moves long messages itself moves one after the other. What it could do before
// the last it has done then, also if the program waits for it only now.
template <class Timing>
double Disturbance<Timing>::moved(Recent& recent, double there_s, double soonest_s,
                                  double takes_s) {
  if (std::max(there_s, soonest_s) <= recent.moved.from) return there_s;
  const double to_s = std::max(there_s, recent.moved.to + takes_s);
  recent.moved = {to_s - takes_s, to_s};
  return to_s;
}

// The NIC needs G (s - 1) + g for each.
template <class Timing>
double Disturbance<Timing>::serialised(const Actor& self, std::int32_t from, double arrival_s,
                                       std::uint64_t bytes) {
  if (from == self.rank) return arrival_s;
  const SizeClass& costs = paths_.between(from, self.rank).level->of(bytes);
  double& drained = of(self.rank).drained;
  arrival_s = std::max(arrival_s, drained + costs.transmission_s(bytes));
  drained = arrival_s + costs.gap_s;
  return arrival_s;
}

}  // namespace hakaru::replay
