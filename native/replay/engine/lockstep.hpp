// A collective row by row: when all its ranks have come, a step of all of them after the other.
//
// A replay is a system of maxima and sums, so the order in which ranks are looked at plays no part.
// Here each rank gets the same sums in the same order as in CollectiveSteps, but no message is
// matched, and ranks lie beside each other in memory. Only for algorithms whose messages are
// received in the step in which they are sent, all of them by the eager protocol, and for
// collectives that nobody leaves before all have come. Noise in calls is the same here: a rank
// draws its numbers in the order of its own steps.
#pragma once

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "native/replay/engine/collective_steps.hpp"

namespace hakaru::replay {

template <class Timing>
class Lockstep {
 public:
  Lockstep(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
           const Transport<Timing>& transport)
      : ranks_(ranks),
        accounts_(accounts),
        transport_(transport),
        costs_(given.costs),
        applies_(!Timing::ordered && given.recorder() == nullptr && !given.disturbed() &&
                 !given.serialises() && !given.uses(schedule::Kind::fork)) {}

  // Of a blocking call without lengths per partner.
  bool applies(const Call& call, const Algorithm& algorithm) const {
    return applies_ && algorithm.steps != nullptr && nobody_leaves_early(call.what) &&
           !refused_.contains(case_of(call, algorithm.steps));
  }
  // All ranks of the actor's group are in its collective. False: nothing was done, and such calls
  // do not apply any more.
  bool run(const Actor& actor);

 private:
  struct Row {
    double clock = 0, nic_free = 0, runtime_s = 0, waiting_s = 0, overhead_s = 0;
    std::uint64_t bytes = 0;  // sent
    std::uint64_t reduce_bytes = 0;
    std::uint32_t messages = 0;
    std::uint32_t drawn = 0;  // numbers, before
    std::int32_t from = -1;
  };
  struct Sent {
    double arrival_s = 0;
    std::uint64_t bytes = 0;
    std::int32_t to = -1;
  };
  using Case = std::tuple<Steps, schedule::Collective, std::int32_t, std::uint64_t>;
  enum class Then : std::uint8_t { go_on, end, refuse };

  static Case case_of(const Call& call, Steps steps) {
    return {steps, call.what, call.size, call.bytes};
  }
  static bool nobody_leaves_early(schedule::Collective what) {
    using schedule::Collective;
    return what == Collective::barrier || what == Collective::allreduce ||
           what == Collective::alltoall || what == Collective::allgather;
  }
  void load(const Group& group);
  void store(const Group& group);
  Then step(const Actor& actor, std::uint32_t number);
  bool send(const Group& group, std::int32_t rank, const Exchange& exchange);
  bool receive(const Group& group, std::int32_t rank);
  void spend(Row& row, double seconds, std::int32_t world_rank);
  void wait_until(Row& row, double time_s, std::int32_t world_rank);
  void forget_draws(const Group& group);

  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  const Transport<Timing>& transport_;
  const Costs& costs_;
  const bool applies_;
  std::vector<Row, LargePages<Row>> rows_;    // by rank of the group
  std::vector<Sent, LargePages<Sent>> sent_;  // in the step
  std::set<Case> refused_;
};

template <class Timing>
bool Lockstep<Timing>::run(const Actor& actor) {
  load(actor.group);
  Then then = Then::go_on;
  for (std::uint32_t number = 0; then == Then::go_on; ++number) then = step(actor, number);
  if (then == Then::refuse) {
    refused_.insert(case_of(call_of(actor), actor.steps));
    forget_draws(actor.group);
    return false;
  }
  store(actor.group);
  return true;
}

template <class Timing>
void Lockstep<Timing>::load(const Group& group) {
  const auto size = static_cast<std::size_t>(group.size);
  if (rows_.size() < size) rows_.resize(size), sent_.resize(size);
  for (std::int32_t rank = 0; rank < group.size; ++rank) {
    const Actor& actor = ranks_.of(group.world(rank));
    const RankResult& account = accounts_.of(actor.rank);
    Row& row = rows_[static_cast<std::size_t>(rank)];
    row = {actor.clock, actor.nic_free, account.runtime_s, account.waiting_s, account.overhead_s};
    if (Interruptions* noise = accounts_.noise_of_calls()) row.drawn = noise->drawn(actor.rank);
  }
}

template <class Timing>
void Lockstep<Timing>::forget_draws(const Group& group) {
  Interruptions* const noise = accounts_.noise_of_calls();
  if (noise == nullptr) return;
  for (std::int32_t rank = 0; rank < group.size; ++rank)
    noise->drawn(group.world(rank)) = rows_[static_cast<std::size_t>(rank)].drawn;
}

template <class Timing>
void Lockstep<Timing>::store(const Group& group) {
  for (std::int32_t rank = 0; rank < group.size; ++rank) {
    const Row& row = rows_[static_cast<std::size_t>(rank)];
    Actor& actor = ranks_.of(group.world(rank));
    RankResult& account = accounts_.of(actor.rank);
    actor.clock = row.clock;
    actor.nic_free = row.nic_free;
    account.runtime_s = row.runtime_s;
    account.waiting_s = row.waiting_s;
    account.overhead_s = row.overhead_s;
    account.messages += row.messages;
    account.bytes += row.bytes;
  }
}

template <class Timing>
typename Lockstep<Timing>::Then Lockstep<Timing>::step(const Actor& actor, std::uint32_t number) {
  Call call = call_of(actor);
  const Group& group = actor.group;
  bool any = false;
  std::int32_t sends = 0, receives = 0;
  for (call.rank = 0; call.rank < group.size; ++call.rank) {
    const auto place = static_cast<std::size_t>(call.rank);
    Exchange exchange;
    if (actor.steps(call, number, exchange))
      any = true;
    else
      exchange = Exchange{};  // it may have been touched
    rows_[place].from = exchange.receive_from;
    rows_[place].reduce_bytes = exchange.reduce_bytes;
    sent_[place].to = exchange.send_to;
    receives += exchange.receive_from >= 0;
    if (exchange.send_to < 0) continue;
    ++sends;
    if (!send(group, call.rank, exchange)) return Then::refuse;
  }
  if (!any) return Then::end;
  if (sends != receives) return Then::refuse;
  for (std::int32_t rank = 0; rank < group.size; ++rank)
    if (!receive(group, rank)) return Then::refuse;
  return Then::go_on;
}

// As Transport's. False: to oneself, or by rendezvous.
template <class Timing>
bool Lockstep<Timing>::send(const Group& group, std::int32_t rank, const Exchange& exchange) {
  const std::uint64_t bytes = exchange.send_bytes;
  const std::int32_t from = group.world(rank), to = group.world(exchange.send_to);
  if (from == to) return false;
  const Path way = transport_.path(from, to);
  if (bytes > way.level->eager_limit_bytes) return false;
  const SizeClass& costs = way.level->of(bytes);
  Row& row = rows_[static_cast<std::size_t>(rank)];
  spend(row, costs.send_overhead_s, from);
  row.messages += 1;
  row.bytes += bytes;
  const double slot_s = std::max(row.clock, row.nic_free);
  const double drained_s = slot_s + costs.transmission_s(bytes);
  row.nic_free = drained_s + costs.gap_s;
  Sent& sent = sent_[static_cast<std::size_t>(rank)];
  sent.arrival_s = arrival(slot_s, drained_s, way, costs, false, bytes);
  sent.bytes = bytes;
  return true;
}

// False: its message is not one of this step.
template <class Timing>
bool Lockstep<Timing>::receive(const Group& group, std::int32_t rank) {
  Row& row = rows_[static_cast<std::size_t>(rank)];
  if (row.from >= 0) {
    const Sent& sent = sent_[static_cast<std::size_t>(row.from)];
    if (sent.to != rank) return false;
    wait_until(row, sent.arrival_s, group.world(rank));
    const Level& level = transport_.level(group.world(row.from), group.world(rank));
    spend(row, level.of(sent.bytes).receive_overhead_s, group.world(rank));
  }
  if (row.reduce_bytes > 0) spend(row, costs_.reduction_s(row.reduce_bytes), group.world(rank));
  return true;
}

// As Accounts'.
template <class Timing>
HAKARU_HOT void Lockstep<Timing>::spend(Row& row, double seconds, std::int32_t world_rank) {
  Interruptions* const noise = accounts_.noise_of_calls();
  if (noise != nullptr && seconds > 0) seconds = noise->lengthened(seconds, world_rank, row.clock);
  row.runtime_s += seconds;
  row.clock += seconds;
}

template <class Timing>
HAKARU_HOT void Lockstep<Timing>::wait_until(Row& row, double time_s, std::int32_t world_rank) {
  if (time_s <= row.clock) return;
  const double waited_s = time_s - row.clock;
  row.waiting_s += waited_s;
  row.clock = time_s;
  Interruptions* const noise = accounts_.noise_of_calls();
  if (noise == nullptr) return;
  const double held_s = noise->held(world_rank, waited_s, time_s);
  row.overhead_s += held_s;
  row.clock += held_s;
}

}  // namespace hakaru::replay
