// PUT and GET as put_get.hpp says, in the time-ordered engine. Here a rank does not run ahead: it
// pauses at the end of each operation until its clock's time has come, since an interrupt before
// that lengthens what it does:
// - it computes: the handler's time is added, as overhead;
// - it is inside a library call: the interrupt is served at the call's end;
// - it waits: the handler takes nothing but what it still needs when the wait is over.
#pragma once

#include "native/base/require.hpp"
#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
bool Engine<Timing>::transfer(Actor& self) {
  if (self.stage == Stage::begins && !run_time_system(self, options_.run_time_system.transfer_s))
    return false;
  const Operation& operation = *self.operation;
  if (operation.kind == schedule::Kind::accumulate)
    misused(self, "accumulates", "a network with put_get only puts and gets");
  const PutGet& costs = *costs_.put_get;
  const bool put = operation.kind != schedule::Kind::get;
  const auto bytes = static_cast<double>(put ? operation.bytes : 0);
  Flight flight;
  flight.what = put ? Flight::What::put : Flight::What::get;
  flight.bytes = operation.bytes;
  flight.from = put ? self.rank : peer(self);
  flight.to = put ? peer(self) : self.rank;
  flight.flag = operation.tag;
  flight.sent_flag = sent_flag(operation);
  flight.pieces = pieces_of(operation);
  const double pieces = flight.pieces;
  spend(self, pieces * (costs.put_prolog_time + costs.put_enqueue_time), SegmentKind::overhead);
  if (!costs.hardware)
    spend(self, pieces * costs.put_dma_set_time + costs.put_msg_post_time * bytes,
          SegmentKind::overhead);
  flight.ready_s = self.clock;
  // A request waits for the rank's own commands and for the message that is leaving, but not for
  // data that are to leave after it.
  Controller& controller = controllers_[static_cast<std::size_t>(self.rank)];
  double& commands_s = controller.commands_s;
  const double busy_s = put ? self.nic_free : std::max(commands_s, controller.leaving_s);
  const double slot_s = command(self, std::max(self.clock, busy_s),
                                pieces * (costs.hardware ? costs.put_dma_set_time : 0.0));
  commands_s = slot_s + costs.put_msg_time * bytes;
  if (put) self.nic_free = commands_s;
  spend(self, pieces * costs.put_epilog_time, SegmentKind::overhead);
  RankResult& account = accounts_[static_cast<std::size_t>(self.rank)];
  account.messages += flight.pieces;
  account.bytes += operation.bytes;
  const std::uint32_t one = access(self, peer(self));
  ++accesses_[one].outstanding;
  flight.access = {Waiter::Kind::access, one};
  if (operation.request >= 0)
    flight.sender = {Waiter::Kind::request, new_request(self, Request::Kind::access)};
  const std::uint32_t index = flights_.take();
  flights_[index] = flight;
  if constexpr (Timing::ordered)
    put ? timing_.at(slot_s, Happening::depart, index)
        : timing_.at(slot_s + path(flight.to, flight.from).latency_s, Happening::asked, index);
  return true;
}

// When the controller has set up what the rank's command asks for: commands wait for the transfers
// before them, in a queue that may overflow.
template <class Timing>
double Engine<Timing>::command(Actor& self, double begin_s, double set_up_s) {
  const CommandQueue& queue = options_.queue;
  if (queue.words == 0) return begin_s + set_up_s;
  Controller& controller = controllers_[static_cast<std::size_t>(self.rank)];
  std::deque<double>& waiting = controller.leaves_s;
  while (!waiting.empty() && waiting.front() <= self.clock) waiting.pop_front();
  const auto room = static_cast<std::size_t>(queue.words / queue.words_per_command);
  const std::size_t free = room > waiting.size() ? room - waiting.size() : 0;
  const bool at_once = begin_s <= self.clock;  // the first command does not stay in the queue
  const std::size_t held = pieces_of(*self.operation) - (at_once ? 1 : 0);
  const std::size_t spilled = held > free ? held - free : 0;
  controller.spilled += spilled;
  const double taken_s = begin_s + queue.spill_time * static_cast<double>(spilled);
  for (std::size_t i = spilled; i < held; ++i) waiting.push_back(taken_s);
  return taken_s + set_up_s;
}

template <class Timing>
void Engine<Timing>::happen(Happening what, std::uint32_t index, double now_s) {
  if (what == Happening::resume) return resume(index, now_s);
  if (what == Happening::asked) return serve(index, now_s);
  if (what == Happening::landed) return landed(index, now_s);
  Flight& flight = flights_[index];
  if (what == Happening::left) return left(flight, now_s);
  if (what == Happening::acknowledged) {
    finish_access(flight, interrupt(flight.from, now_s, costs_.put_get->acknowledge_time));
    return flights_.give_back(index);
  }
  if constexpr (Timing::ordered) {
    const double drained_s = timing_.drained_s(flight, now_s);
    actors_[static_cast<std::size_t>(flight.from)].nic_free =
        std::max(actors_[static_cast<std::size_t>(flight.from)].nic_free, drained_s);
    flight.start_s = now_s;
    controllers_[static_cast<std::size_t>(flight.from)].leaving_s = drained_s;
    if (flight.what == Flight::What::put) {
      Access& one = accesses_[flight.access.index()];
      one.local_s = std::max(one.local_s, drained_s);
    }
    if (flight.sent_flag > 0 || flight.sender.is_somebody())
      timing_.at(drained_s, Happening::left, index);
    timing_.at(drained_s + path(flight.from, flight.to).latency_s, Happening::landed, index);
  }
}

// The last byte has left.
template <class Timing>
void Engine<Timing>::left(Flight& flight, double now_s) {
  const PutGet& costs = *costs_.put_get;
  const Cause cause{flight.what == Flight::What::put ? flight.from : flight.to, flight.ready_s, 0,
                    now_s - flight.start_s};
  double known_s = now_s;
  if (flight.sent_flag > 0 && !costs.hardware)
    known_s = interrupt(flight.from, now_s, costs.intr_rtc_send_time);
  raise_flag(flight.from, flight.sent_flag, known_s, cause);
  if (flight.what == Flight::What::put && flight.sender.is_somebody())
    complete(flight.sender, known_s, flight.bytes, cause);
}

// The request of a get has come: the target's controller, or its CPU, sends the data.
template <class Timing>
void Engine<Timing>::serve(std::uint32_t index, double now_s) {
  const PutGet& costs = *costs_.put_get;
  Flight& flight = flights_[index];
  const double pieces = flight.pieces;
  const double bytes_s = static_cast<double>(flight.bytes);
  Actor& target = actors_[static_cast<std::size_t>(flight.from)];
  double set_s;
  if (costs.hardware) {
    set_s = std::max(now_s, target.nic_free) + pieces * costs.put_dma_set_time;
  } else {
    const double price_s =
        pieces * (costs.intr_rtc_time + costs.put_dma_set_time) + costs.put_msg_post_time * bytes_s;
    set_s = std::max(interrupt(flight.from, now_s, price_s), target.nic_free);
  }
  target.nic_free = set_s + costs.put_msg_time * bytes_s;
  if constexpr (Timing::ordered) timing_.at(set_s, Happening::depart, index);
}

// The last byte has arrived.
template <class Timing>
void Engine<Timing>::landed(std::uint32_t index, double now_s) {
  const PutGet& costs = *costs_.put_get;
  Flight& flight = flights_[index];
  const bool put = flight.what == Flight::What::put;
  const auto bytes = static_cast<double>(flight.bytes);
  const double pieces = flight.pieces;
  double done_s = now_s + costs.recv_dma_set_time;
  if (!costs.hardware) {
    const double flag_s = flight.flag > 0 ? costs.intr_rtc_rcv_time : 0.0;
    done_s = interrupt(flight.to, now_s,
                       pieces * (costs.intr_rtc_time + costs.recv_dma_set_time) +
                           costs.recv_msg_flush_time * bytes + flag_s);
  }
  const double latency_s = path(flight.from, flight.to).latency_s;
  const std::int32_t origin = put ? flight.from : flight.to;
  const Cause cause{origin, flight.ready_s, (put ? 1 : 2) * latency_s, costs.put_msg_time * bytes};
  raise_flag(flight.to, flight.flag, done_s, cause);
  if (recording())
    Recorder::at(recorder_->of_access, flight.access.index()) = {
        origin, flight.ready_s, 2 * latency_s, costs.put_msg_time * bytes};
  if (!put) {
    Access& one = accesses_[flight.access.index()];
    one.local_s = std::max(one.local_s, done_s);
    if (flight.sender.is_somebody()) complete(flight.sender, done_s, flight.bytes, cause);
  }
  if constexpr (Timing::ordered)
    if (put && acknowledges_ && !costs.hardware && costs.acknowledge_time > 0)
      return timing_.at(done_s + latency_s, Happening::acknowledged, index);
  finish_access(flight, put ? done_s + latency_s : done_s);
  flights_.give_back(index);
}

template <class Timing>
void Engine<Timing>::finish_access(const Flight& flight, double remote_s) {
  Access& one = accesses_[flight.access.index()];
  one.remote_s = std::max(one.remote_s, remote_s);
  if (--one.outstanding > 0) return;
  const auto waiter = access_waiters_.find(flight.access.index());
  if (waiter == access_waiters_.end()) return;
  const std::uint32_t index = waiter->second;
  access_waiters_.erase(waiter);
  wake(actor(index), index);
}

// Takes the CPU of `rank` for some time; returns when the handler is done.
template <class Timing>
double Engine<Timing>::interrupt(std::int32_t rank, double now_s, double seconds) {
  Actor& self = actors_[static_cast<std::size_t>(rank)];
  Controller& controller = controllers_[static_cast<std::size_t>(rank)];
  double begin_s = std::max(now_s, controller.handler_free_s);
  if (self.waiting == Waiting::paused && now_s >= controller.idle_until_s) {
    const bool in_run_time_system = !self.done && self.operation->kind != schedule::Kind::flag_wait;
    if (self.operation->kind != schedule::Kind::compute && !in_run_time_system)
      begin_s = std::max(begin_s, self.clock);
    spend(self, seconds, SegmentKind::overhead);
  } else if (self.waiting == Waiting::paused && begin_s + seconds > controller.idle_until_s) {
    spend(self, begin_s + seconds - controller.idle_until_s, SegmentKind::waiting);
    controller.idle_until_s = begin_s + seconds;
  }
  return controller.handler_free_s = begin_s + seconds;
}

// A wait that ends at time_s goes on while the handler is busy.
template <class Timing>
double Engine<Timing>::idle_until(const Actor& self, double time_s) {
  Controller& controller = controllers_[static_cast<std::size_t>(self.rank)];
  return controller.idle_until_s = std::max(time_s, controller.handler_free_s);
}

template <class Timing>
bool Engine<Timing>::library(Actor& self, double seconds, SegmentKind kind) {
  spend(self, seconds, kind);
  self.stage = Stage::paid;
  return !pause(self);
}

// True: the rank goes on when its clock's time has come.
template <class Timing>
bool Engine<Timing>::pause(Actor& self) {
  if constexpr (Timing::ordered) {
    if (self.helper || self.clock <= timing_.now_s()) return false;
    self.waiting = Waiting::paused;
    timing_.at(self.clock, Happening::resume, self.index);
    return true;
  }
  return false;
}

template <class Timing>
void Engine<Timing>::resume(std::uint32_t rank, double now_s) {
  Actor& self = actors_[rank];
  if (self.clock > now_s) {
    if constexpr (Timing::ordered) timing_.at(self.clock, Happening::resume, rank);
    return;
  }
  self.waiting = Waiting::nothing;
  run(rank);
}

}  // namespace hakaru::replay
