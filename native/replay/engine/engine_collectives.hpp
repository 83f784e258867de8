// Collectives in progress: step after step of an algorithm, or all together for a price.
#pragma once

#include <fmt/core.h>

#include <cmath>

#include "native/base/require.hpp"
#include "native/replay/engine/collective_table.hpp"
#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
bool Engine<Timing>::collective(Actor& self) {
  if (self.stage == Stage::begins || self.stage == Stage::paid) {
    if (self.stage == Stage::begins &&
        !run_time_system(self, options_.run_time_system.collective_s))
      return false;
    if (self.operation->request >= 0) {
      start_helper(self);
      return true;
    }
    if (enter(self, self.operation->collective, true)) return true;
    if (self.waiting == Waiting::blocked) return false;
  }
  return collective_steps(self);
}

// The collective of a request runs on its own: as if the NIC or a thread of its own made it
// progress, without taking time from the rank's CPU, and with its own turns at the NIC. It begins
// when it is called.
template <class Timing>
void Engine<Timing>::start_helper(Actor& self) {
  Actor& helper = new_helper(self, new_request(self, Request::Kind::collective));
  helper.operation = self.operation;
  if (enter(helper, self.operation->collective, true)) {
    helper.stage = Stage::together;
    helper.result_s = helper.clock;
  }
  if (helper.stage != Stage::together || helper.waiting != Waiting::blocked)
    ready_.push_back(helper.index);
}

template <class Timing>
Actor& Engine<Timing>::new_helper(const Actor& self, std::uint32_t record) {
  std::uint32_t place;
  if (free_helpers_.empty()) {
    place = static_cast<std::uint32_t>(helpers_.size());
    helpers_.emplace_back();
  } else {
    place = free_helpers_.back();
    free_helpers_.pop_back();
  }
  Actor& helper = helpers_[place] = Actor{};
  helper.helper = true;
  helper.index = ranks_ + place;
  helper.rank = self.rank;
  helper.clock = self.clock;
  helper.nic_free = self.nic_free;
  helper.request = record;
  return helper;
}

template <class Timing>
bool Engine<Timing>::enter(Actor& self, schedule::Collective what, bool is_collective) {
  const Operation& operation = *self.operation;
  self.group = groups_.group(operation.communicator, self.rank);
  self.step = 0;
  self.sends_done_s = 0;
  self.together_s = 0;
  self.collective_begin = self.clock;
  self.what = what;
  self.root = is_collective ? operation.peer : -1;
  self.bytes = is_collective ? operation.bytes : 0;
  self.lengths = is_collective && operation.payload != schedule::no_payload
                     ? &schedule_.lists[static_cast<std::size_t>(operation.payload)]
                     : nullptr;
  if (self.group.size == 1 && is_collective) {
    copy_own_block(self);
    return true;
  }
  std::uint32_t number;
  Instance& instance = groups_.enter(self.group, self.rank, number);
  if (instance.first_rank < 0) {
    instance.operation = &operation;
    instance.first_rank = self.rank;
    choose(self, instance);
    if (!is_collective && operation.kind != schedule::Kind::fence) instance.together = true;
  } else {
    check_call(self, instance, is_collective);
  }
  ++instance.arrived;
  const bool requested = is_collective && operation.request >= 0;
  self.channel = channel_of(operation.communicator,
                            requested ? Traffic::request_collective : Traffic::collective);
  self.tag = requested ? static_cast<std::int32_t>(number) : 0;
  self.steps = instance.algorithm == nullptr ? nullptr : instance.algorithm->steps;
  const bool priced = what == schedule::Collective::neighbour_exchange &&
                      instance.price != nullptr && !instance.price->table.empty();
  self.price = priced ? instance.price : nullptr;
  if (what == schedule::Collective::neighbour_exchange) self.group.members = nullptr;
  if (is_collective && self.steps != nullptr) copy_own_block(self);
  self.stage = Stage::step_begins;
  if constexpr (Timing::ordered)
    if (self.steps != nullptr) post_early(self);
  bool there = false;
  if (instance.together) there = come_together(self, instance);
  if (instance.arrived == self.group.size) groups_.retire(self.group);
  return there;
}

// The block that a rank has for itself goes from one buffer to the other (unless the call is in
// place, which a schedule does not tell).
template <class Timing>
void Engine<Timing>::copy_own_block(Actor& self) {
  using schedule::Collective;
  const bool of_root = self.what == Collective::gather || self.what == Collective::scatter;
  const bool of_all = self.what == Collective::alltoall || self.what == Collective::allgather;
  if (of_all || (of_root && self.root == self.group.index))
    copy(self, call_of(self).block(self.group.index), SegmentKind::runtime);
}

template <class Timing>
void Engine<Timing>::post_early(Actor& self) {
  const Call call = call_of(self);
  Exchange exchange;
  for (std::uint32_t step = 0; self.steps(call, step, exchange); ++step, exchange = Exchange{}) {
    if (!exchange.posted_early) {
      if (exchange.hold_send && exchange.send_to >= 0) return;  // no algorithm mixes both
      continue;
    }
    const std::uint32_t record = requests_.take();
    const std::int32_t from = self.group.world(exchange.receive_from);
    requests_[record] = {
        0, 0, self.operation, self.index, Request::Kind::receive, Request::State::started};
    early_[self.index].push_back(record);
    if (!receive(self, {from, self.tag, self.channel}, self.clock, {Waiter::Kind::request, record}))
      continue;
    requests_[record].time_s = self.result_s;
    requests_[record].bytes = self.result_bytes;
    requests_[record].state = Request::State::done;
  }
}

// True: it is there. Else the actor will be woken, and end_receive takes it.
template <class Timing>
bool Engine<Timing>::received_early(Actor& self) {
  Request& request = requests_[early_[self.index].front()];
  if (request.state == Request::State::done) return true;
  request.state = Request::State::waited;
  return false;
}

template <class Timing>
void Engine<Timing>::choose(const Actor& self, Instance& instance) {
  if (self.operation->kind == schedule::Kind::fence && prices(self) != nullptr) {
    instance.together = true;
    return;
  }
  const auto priced = costs_.collectives.find(schedule::name_of(self.what));
  if (priced != costs_.collectives.end()) {
    instance.price = &priced->second;
    if (!priced->second.table.empty() && self.what == schedule::Collective::neighbour_exchange) {
      instance.algorithm = find_algorithm(self.what, "linear");  // by whom each one waits for
      return;
    }
    if (!priced->second.table.empty()) {
      instance.together = true;
      return;
    }
    if (!priced->second.algorithm.empty()) {
      instance.algorithm = find_algorithm(self.what, priced->second.algorithm);
      instance.together = instance.algorithm->steps == nullptr;
      return;
    }
  }
  instance.algorithm = &decide(costs_.decision, call_of(self),
                               groups_.has_lengths(self.operation->communicator, self.what));
}

// What all pay when the last one has come.
template <class Timing>
typename Engine<Timing>::Together Engine<Timing>::price_of(const Actor& self,
                                                           const Instance& instance) {
  using schedule::Kind;
  const Kind kind = self.operation->kind;
  if (kind == Kind::file_read || kind == Kind::file_write)
    return {costs_.file_system ? moving_s(*costs_.file_system, instance.most_bytes, instance.bytes)
                               : 0.0,
            0};
  if (kind != Kind::collective && kind != Kind::fence) return {0, 0};
  const double bytes = kind == Kind::fence ? 0.0 : static_cast<double>(self.operation->bytes);
  if (instance.price != nullptr)
    return {price_together(*instance.price, self.group.size, bytes),
            wire_together(*instance.price, self.group.size, bytes)};
  if (kind == Kind::fence)
    return {prices(self)->fence_s * std::ceil(std::log2(self.group.size)), 0};
  return {0, 0};
}

// True when this one was the last, and the others have been told.
template <class Timing>
bool Engine<Timing>::come_together(Actor& self, Instance& instance) {
  self.stage = Stage::together;
  const double bytes = static_cast<double>(
      self.operation->kind == schedule::Kind::fence ? 0 : self.operation->bytes);
  instance.bytes += bytes;
  instance.most_bytes = std::max(instance.most_bytes, bytes);
  if (instance.latest_rank < 0 || self.clock > instance.latest_s) {
    instance.latest_s = self.clock;
    instance.latest_rank = self.rank;
    if (recording()) instance.latest_stretches = recorder_->stretches(self.rank);
  }
  if (instance.arrived < self.group.size) {
    instance.waiting.push_back(self.index);
    self.waiting = Waiting::blocked;
    return false;
  }
  const auto [price_s, wire_s] = price_of(self, instance);
  const Cause cause{instance.latest_rank, instance.latest_s, 0, wire_s, instance.latest_stretches};
  for (const std::uint32_t index : instance.waiting) {
    actor(index).together_s = price_s;
    complete({Waiter::Kind::actor, index}, instance.latest_s + wire_s, 0, cause);
  }
  self.together_s = price_s;
  complete(waiter_of(self), instance.latest_s + wire_s, 0, cause);
  instance.waiting = {};
  return self.operation->kind != schedule::Kind::collective;
}

// The next step's partner will be needed while its place in memory is far away.
template <class Timing>
void Engine<Timing>::prefetch_partner(const Actor& self, const Call& call) const {
  Exchange next;
  if (!self.steps(call, self.step + 1, next) || next.send_to < 0) return;
  const Actor* partner = &actors_[static_cast<std::size_t>(self.group.world(next.send_to))];
  __builtin_prefetch(partner);
  __builtin_prefetch(&partner->inbox);
}

// Of the rank's own partners: the table's "ranks" are their number, its bytes their mean.
template <class Timing>
double Engine<Timing>::price_of_neighbours(const Actor& self) const {
  const std::vector<std::int64_t>& lists = *self.lengths;
  const std::size_t destinations = self.bytes, sources = lists.size() / 2 - destinations;
  const std::size_t partners = std::max(destinations, sources);
  if (partners == 0) return 0.0;
  double bytes = 0;
  const std::size_t first = destinations >= sources ? 0 : destinations;
  for (std::size_t i = first; i < first + partners; ++i)
    bytes += static_cast<double>(lists[2 * i + 1]);
  const auto count = static_cast<double>(partners);
  return price_together(*self.price, count, bytes / count);
}

template <class Timing>
bool Engine<Timing>::collective_steps(Actor& self) {
  if (self.stage == Stage::together) {
    wait_until(self, self.result_s);
    spend(self, self.together_s, costs_.put_get ? SegmentKind::overhead : SegmentKind::runtime);
    return true;
  }
  const Call call = call_of(self);
  for (;;) {
    Exchange exchange;
    if (self.stage == Stage::last_sends || !self.steps(call, self.step, exchange))
      return end_steps(self);
    if (far_apart_ && self.stage == Stage::step_received) prefetch_partner(self, call);
    if (self.stage == Stage::step_begins && !begin_step(self, exchange)) return false;
    if (self.stage == Stage::step_received) end_receive(self, exchange);
    if (exchange.hold_send && exchange.send_to >= 0 && !sends_are_over(self)) return false;
    ++self.step;
    self.stage = Stage::step_begins;
  }
}

// Posts the step's receive and starts its send. False: the receive is not complete.
template <class Timing>
bool Engine<Timing>::begin_step(Actor& self, const Exchange& exchange) {
  self.stage = Stage::step_received;
  bool received = true;
  if (Timing::ordered && exchange.posted_early)
    received = received_early(self);
  else if (exchange.receive_from >= 0)
    received = receive(self, {self.group.world(exchange.receive_from), self.tag, self.channel},
                       exchange.posted_early ? self.collective_begin : self.clock, waiter_of(self));
  if (!received) self.waiting = Waiting::expecting;
  if (exchange.send_to >= 0) send_step(self, exchange);
  if (self.waiting != Waiting::expecting) return true;
  self.waiting = Waiting::blocked;
  return false;
}

template <class Timing>
void Engine<Timing>::send_step(Actor& self, const Exchange& exchange) {
  const std::int32_t to = self.group.world(exchange.send_to);
  if (self.price != nullptr) {
    RankResult& account = accounts_[static_cast<std::size_t>(self.rank)];
    ++account.messages;
    account.bytes += exchange.send_bytes;
    deliver_direct(self, to, {self.rank, self.tag, self.channel}, exchange.send_bytes);
    return;
  }
  ++self.pending_sends;
  if (send(self, to, self.tag, self.channel, exchange.send_bytes, Protocol::by_size,
           {Waiter::Kind::counter, self.index}, SegmentKind::runtime))
    --self.pending_sends;
}

// The step's receive is complete: takes it, and reduces.
template <class Timing>
void Engine<Timing>::end_receive(Actor& self, const Exchange& exchange) {
  self.stage = Stage::step_ends;
  if (Timing::ordered && exchange.posted_early) take_early(self);
  if (exchange.receive_from >= 0 && self.price != nullptr)
    wait_until(self, self.result_s);
  else if (exchange.receive_from >= 0)
    finish_receive(self, self.group.world(exchange.receive_from), self.result_s, self.result_bytes,
                   SegmentKind::runtime);
  reduce(self, exchange.reduce_bytes);
}

template <class Timing>
void Engine<Timing>::take_early(Actor& self) {
  std::deque<std::uint32_t>& posted = early_[self.index];
  self.result_s = requests_[posted.front()].time_s;
  self.result_bytes = requests_[posted.front()].bytes;
  if (recording())
    Recorder::at(recorder_->of_actor, self.index) =
        Recorder::at(recorder_->of_request, posted.front());
  requests_.give_back(posted.front());
  posted.pop_front();
}

// True: what was sent has left. Else the actor is woken when it has.
template <class Timing>
bool Engine<Timing>::sends_are_over(Actor& self) {
  if (self.pending_sends > 0) {
    self.waiting = Waiting::sends;
    return false;
  }
  wait_until(self, self.sends_done_s);
  return true;
}

template <class Timing>
bool Engine<Timing>::end_steps(Actor& self) {
  self.stage = Stage::last_sends;
  if (!sends_are_over(self)) return false;
  if (self.price != nullptr) spend(self, price_of_neighbours(self), SegmentKind::runtime);
  return true;
}

template <class Timing>
void Engine<Timing>::check_call(const Actor& self, const Instance& instance,
                                bool is_collective) const {
  using schedule::Collective;
  const Operation& own = *self.operation;
  const Operation& other = *instance.operation;
  const bool same_call =
      own.kind == other.kind && (!is_collective || own.collective == other.collective);
  const bool rooted = self.what == Collective::broadcast || self.what == Collective::reduce ||
                      self.what == Collective::gather || self.what == Collective::scatter;
  const bool same_root = !is_collective || !rooted || own.peer == other.peer;
  const bool lengths = groups_.has_lengths(own.communicator, self.what) ||
                       self.what == Collective::neighbour_exchange ||
                       self.what == Collective::barrier;
  const bool same_bytes = !is_collective || lengths || own.bytes == other.bytes;
  if (same_call && same_root && same_bytes) return;
  const char* what = !same_call   ? "different collectives"
                     : !same_root ? "different roots"
                                  : "different lengths";
  throw base::UserError(
      base::ExitCode::usage,
      base::explain(fmt::format("ranks {} and {} call {} at the same place of communicator '{}'",
                                instance.first_rank, self.rank, what,
                                schedule_.communicators[own.communicator].name),
                    fmt::format("rank {} calls {}, rank {} calls {}", instance.first_rank,
                                call_text(schedule_, other, instance.first_rank), self.rank,
                                call_text(schedule_, own, self.rank)),
                    "the program or its trace is inconsistent"));
}

}  // namespace hakaru::replay
