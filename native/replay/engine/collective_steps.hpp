// A collective in progress, step after step of an algorithm.
#pragma once

#include <deque>
#include <unordered_map>

#include "native/replay/engine/collective_table.hpp"
#include "native/replay/engine/transport.hpp"

namespace hakaru::replay {

inline Call call_of(const Actor& actor) {
  return {actor.what, actor.group.index, actor.group.size, actor.root, actor.bytes, actor.lengths};
}

template <class Timing>
class CollectiveSteps {
 public:
  CollectiveSteps(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
                  Transport<Timing>& transport)
      : given_(given), ranks_(ranks), accounts_(accounts), transport_(transport) {}

  // In the time-ordered engine receives that an algorithm posts early must be there early, as
  // messages are looked at in order of time.
  void post_early(Actor& actor);
  // Goes on with the actor's steps; false when it is blocked.
  bool advance(Actor& actor);

 private:
  void prefetch_partner(const Actor& actor, const Call& call);
  HAKARU_HOT bool begin_step(Actor& actor, const Exchange& exchange);
  HAKARU_HOT void send_step(Actor& actor, const Exchange& exchange);
  HAKARU_HOT void end_receive(Actor& actor);
  HAKARU_HOT bool sends_are_over(Actor& actor);
  bool end_steps(Actor& actor);
  double price_of_neighbours(const Actor& actor) const;
  void post_early(Actor& actor, std::int32_t from);
  bool received_early(Actor& actor);
  void take_early(Actor& actor);
  // Of a step with another rank it is a part of the receive: it does not keep what follows apart.
  void reduce(Actor& actor, std::uint64_t bytes) {
    if (bytes == 0) return;
    accounts_.spend(actor, given_.costs.reduction_s(bytes), SegmentKind::runtime);
    if (actor.partner >= 0 && !actor.helper) transport_.met(actor.rank, actor.clock);
  }

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Transport<Timing>& transport_;
  std::unordered_map<std::uint32_t, std::deque<std::uint32_t>>
      early_;  // requests of an actor, in the order of its steps
};

// Of the rank's own partners, on a grid by its own table: the table's "ranks" are their number, its
// bytes their mean.
template <class Timing>
double CollectiveSteps<Timing>::price_of_neighbours(const Actor& self) const {
  const std::vector<std::int64_t>& lists = *self.lengths;
  const std::size_t destinations = self.bytes, sources = lists.size() / 2 - destinations;
  const std::size_t partners = std::max(destinations, sources);
  double bytes = 0;
  const std::size_t first = destinations >= sources ? 0 : destinations;
  for (std::size_t i = first; i < first + partners; ++i)
    bytes += static_cast<double>(lists[2 * i + 1]);
  if (bytes == 0) return 0.0;  // libraries return at once
  const auto count = static_cast<double>(partners);
  const bool by_grid = self.operation->grid && !self.price->grid_table.empty();
  return measured_time(by_grid ? self.price->grid_table : self.price->table, count, bytes / count);
}

template <class Timing>
void CollectiveSteps<Timing>::post_early(Actor& self) {
  const Call call = call_of(self);
  Exchange exchange;
  for (std::uint32_t step = 0; self.steps(call, step, exchange); ++step, exchange = Exchange{}) {
    if (exchange.posted_early)
      post_early(self, self.group.world(exchange.receive_from));
    else if (exchange.hold_send && exchange.send_to >= 0)
      return;  // no algorithm mixes both
  }
}

template <class Timing>
void CollectiveSteps<Timing>::post_early(Actor& self, std::int32_t from) {
  Requests& requests = ranks_.requests();
  const std::uint32_t record = requests.take();
  requests[record] = {
      0, 0, self.operation, self.index, Request::Kind::receive, Request::State::started};
  early_[self.index].push_back(record);
  if (!transport_.receive(self, {from, self.tag, self.channel}, self.clock,
                          {Waiter::Kind::request, record}))
    return;
  requests[record].time_s = self.result_s;
  requests[record].bytes = self.result_bytes;
  requests[record].state = Request::State::done;
}

// True: it is there. Else the actor will be woken, and end_receive takes it.
template <class Timing>
bool CollectiveSteps<Timing>::received_early(Actor& self) {
  Request& request = ranks_.requests()[early_[self.index].front()];
  if (request.state == Request::State::done) return true;
  request.state = Request::State::waited;
  return false;
}

// The next step's partner will be needed while its place in memory is far away.
template <class Timing>
void CollectiveSteps<Timing>::prefetch_partner(const Actor& self, const Call& call) {
  Exchange next;
  if (!self.steps(call, self.step + 1, next) || next.send_to < 0) return;
  const Actor* partner = &ranks_.of(self.group.world(next.send_to));
  __builtin_prefetch(partner);
  __builtin_prefetch(&partner->inbox);
}

template <class Timing>
bool CollectiveSteps<Timing>::advance(Actor& self) {
  if (self.stage == Stage::last_sends) return end_steps(self);
  const Call call = call_of(self);
  if (ranks_.far_apart() && self.stage == Stage::step_received) prefetch_partner(self, call);
  for (;;) {
    if (self.stage == Stage::step_begins) {
      Exchange exchange;
      if (!self.steps(call, self.step, exchange)) return end_steps(self);
      if (!begin_step(self, exchange)) return false;
    }
    if (self.stage == Stage::step_received) end_receive(self);
    if (self.holds_send && !sends_are_over(self)) return false;
    ++self.step;
    self.stage = Stage::step_begins;
  }
}

// Posts the step's receive and starts its send. False: the receive is not complete.
template <class Timing>
bool CollectiveSteps<Timing>::begin_step(Actor& self, const Exchange& exchange) {
  self.stage = Stage::step_received;
  self.partner = exchange.receive_from < 0 ? -1 : self.group.world(exchange.receive_from);
  self.reduce_bytes = exchange.reduce_bytes;
  self.holds_send = exchange.hold_send && exchange.send_to >= 0;
  self.posted_early = Timing::ordered && exchange.posted_early;
  bool received = true;
  if (self.posted_early)
    received = received_early(self);
  else if (self.partner >= 0)
    received = transport_.receive(self, {self.partner, self.tag, self.channel},
                                  exchange.posted_early ? self.collective_begin : self.clock,
                                  waiter_of(self));
  if (!received) self.waiting = Waiting::expecting;
  if (exchange.send_to >= 0) send_step(self, exchange);
  if (self.waiting != Waiting::expecting) return true;
  self.waiting = Waiting::blocked;
  return false;
}

template <class Timing>
void CollectiveSteps<Timing>::send_step(Actor& self, const Exchange& exchange) {
  const std::int32_t to = self.group.world(exchange.send_to);
  if (self.price != nullptr) {
    accounts_.sent(self, exchange.send_bytes);
    transport_.deliver_direct(self, to, {self.rank, self.tag, self.channel}, exchange.send_bytes);
    return;
  }
  ++self.pending_sends;
  if (transport_.send(self, to, self.tag, self.channel, exchange.send_bytes, Protocol::by_size,
                      {Waiter::Kind::counter, self.index}, SegmentKind::runtime))
    --self.pending_sends;
}

// The step's receive is complete: takes it, and reduces.
template <class Timing>
void CollectiveSteps<Timing>::end_receive(Actor& self) {
  self.stage = Stage::step_ends;
  if (Timing::ordered && self.posted_early) take_early(self);
  if (self.partner >= 0 && self.price != nullptr)
    accounts_.wait_until(self, self.result_s);
  else if (self.partner >= 0)
    transport_.finish_receive(self, self.partner, self.result_s, self.result_bytes,
                              SegmentKind::runtime);
  reduce(self, self.reduce_bytes);
}

template <class Timing>
void CollectiveSteps<Timing>::take_early(Actor& self) {
  std::deque<std::uint32_t>& posted = early_[self.index];
  const Request& request = ranks_.requests()[posted.front()];
  self.result_s = request.time_s;
  self.result_bytes = request.bytes;
  if (Recorder* recorder = given_.recorder())
    Recorder::at(recorder->of_actor, self.index) =
        Recorder::at(recorder->of_request, posted.front());
  ranks_.requests().give_back(posted.front());
  posted.pop_front();
}

// True: what was sent has left. Else the actor is woken when it has.
template <class Timing>
bool CollectiveSteps<Timing>::sends_are_over(Actor& self) {
  if (self.pending_sends > 0) {
    self.waiting = Waiting::sends;
    return false;
  }
  accounts_.wait_until(self, self.sends_done_s);
  return true;
}

template <class Timing>
bool CollectiveSteps<Timing>::end_steps(Actor& self) {
  self.stage = Stage::last_sends;
  if (!sends_are_over(self)) return false;
  if (self.price != nullptr) {
    accounts_.spend(self, price_of_neighbours(self), SegmentKind::runtime);
    if (!self.helper) transport_.met(self.rank, self.clock);
  }
  return true;
}

}  // namespace hakaru::replay
