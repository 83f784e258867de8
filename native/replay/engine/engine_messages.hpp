#pragma once

#include <fmt/core.h>

#include "native/base/require.hpp"
#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
bool Engine<Timing>::send(Actor& self, std::int32_t to, std::int32_t tag, std::uint32_t channel,
                          std::uint64_t bytes, Protocol protocol, Waiter waiter, SegmentKind kind) {
  const Path way = path(self.rank, to);
  const SizeClass& costs = way.level->of(bytes);
  spend(self, costs.send_overhead_s, kind);
  if (Timing::ordered && costs_.put_get)
    spend(self, costs_.put_get->put_msg_post_time * static_cast<double>(bytes), kind);
  RankResult& account = accounts_[static_cast<std::size_t>(self.rank)];
  ++account.messages;
  account.bytes += bytes;
  double slot_s = self.clock;
  if (to != self.rank) {
    slot_s = std::max(self.clock, self.nic_free);
    self.nic_free = slot_s + costs.transmission_s(bytes) + costs.gap_s;
    if (disturbed() && !self.helper) {
      Recent& recent = recent_[static_cast<std::size_t>(self.rank)];
      recent.sent_from = slot_s;
      recent.sent_to =
          arrival(slot_s, slot_s + costs.transmission_s(bytes), way, self.rank, to, bytes);
    }
  } else {
    copy(self, bytes, kind);
    slot_s = self.clock;
  }
  const Key key{self.rank, tag, channel};
  if (protocol == Protocol::eager ||
      (protocol == Protocol::by_size && bytes <= way.level->eager_limit_bytes)) {
    deliver_eager(self, to, key, bytes, slot_s, way, costs);
    return true;
  }
  send_rendezvous(self, to, key, bytes, slot_s, waiter);
  return false;
}

template <class Timing>
Waiter Engine<Timing>::take_receive(Actor& rank, const Key& key, Found& found, double& posted_s) {
  if (rank.awaited == key) {
    rank.awaited.channel = nothing_awaited;
    posted_s = rank.posted_s;
    return waiter_of(rank);
  }
  found = matching_.find(rank.inbox, key);
  if (found.entry == none || matching_[found.entry].kind() != EntryKind::receive) return {};
  const Waiter receiver = Waiter::from_bits(matching_[found.entry].node);
  posted_s = matching_[found.entry].time_s;
  matching_.remove(rank.inbox, found);
  found = {};
  return receiver;
}

template <class Timing>
void Engine<Timing>::deliver_eager(const Actor& self, std::int32_t to, const Key& key,
                                   std::uint64_t bytes, double slot_s, const Path& way,
                                   const SizeClass& costs) {
  Actor& rank = actors_[static_cast<std::size_t>(to)];
  Found found;
  double posted_s = 0;
  const Waiter receiver = take_receive(rank, key, found, posted_s);
  std::uint32_t flight = none;
  double arrival_s =
      arrival(slot_s, slot_s + costs.transmission_s(bytes), way, self.rank, to, bytes);
  Cause cause{self.rank, self.clock, way.latency_s, costs.transmission_s(bytes)};
  if (recording() && !self.helper) cause.stretches = recorder_->stretches(self.rank);
  if constexpr (Timing::ordered) {
    flight = flights_.take();
    Flight& one = flights_[flight] = Flight{};
    one.state = Flight::State::moving;
    one.ready_s = self.clock;
    one.slot_s = one.start_s = slot_s;
    one.bytes = bytes;
    one.from = self.rank;
    one.to = to;
    one.direct = way.level == &direct_level;
    one.stretches = cause.stretches;
    timing_.launch(flight, slot_s);
  }
  if (found.entry != none && matching_[found.entry].kind() == EntryKind::probe) {
    const Waiter prober = Waiter::from_bits(matching_[found.entry].node);
    matching_.remove(rank.inbox, found);
    found = {};
    if constexpr (Timing::ordered) {
      flights_[flight].prober = prober;
    } else {
      complete(prober, arrival_s, bytes, cause);
    }
  }
  if (receiver.is_somebody()) {
    if constexpr (Timing::ordered) {
      flights_[flight].receiver = receiver;
    } else {
      complete(receiver, arrival_s, bytes, cause);
    }
    return;
  }
  const std::uint32_t entry =
      Timing::ordered ? matching_.append(rank.inbox, key, EntryKind::flight, flight, 0)
                      : matching_.append(rank.inbox, key, EntryKind::message, bytes, arrival_s);
  if (recording()) Recorder::at(recorder_->of_entry, entry) = cause;
}

template <class Timing>
void Engine<Timing>::send_rendezvous(const Actor& self, std::int32_t to, const Key& key,
                                     std::uint64_t bytes, double slot_s, Waiter waiter) {
  const std::uint32_t index = flights_.take();
  Flight& flight = flights_[index] = Flight{};
  flight.rendezvous = true;
  flight.ready_s = self.clock;
  flight.slot_s = slot_s;
  flight.bytes = bytes;
  flight.from = self.rank;
  flight.to = to;
  flight.sender = waiter;
  if (recording() && !self.helper) flight.stretches = recorder_->stretches(self.rank);
  Actor& rank = actors_[static_cast<std::size_t>(to)];
  Found found;
  double posted_s = 0;
  const Waiter receiver = take_receive(rank, key, found, posted_s);
  if (found.entry != none && matching_[found.entry].kind() == EntryKind::probe) {
    const Waiter prober = Waiter::from_bits(matching_[found.entry].node);
    matching_.remove(rank.inbox, found);
    found = {};
    const double latency_s = path(self.rank, to).latency_s;
    complete(prober, self.clock + latency_s, bytes, {self.rank, self.clock, latency_s, 0});
  }
  if (receiver.is_somebody()) {
    answer(index, posted_s, receiver);
    return;
  }
  matching_.append(rank.inbox, key, EntryKind::flight, index, 0);
}

// Both sides are ready: the transfer begins when the answer has come and the NIC's turn is there.
template <class Timing>
void Engine<Timing>::answer(std::uint32_t index, double posted_s, Waiter receiver) {
  Flight& flight = flights_[index];
  const Path way = path(flight.from, flight.to);
  flight.receiver = receiver;
  flight.posted_s = posted_s;
  flight.state = Flight::State::moving;
  flight.start_s =
      std::max(std::max(flight.ready_s + way.latency_s, posted_s) + way.latency_s, flight.slot_s);
  if constexpr (Timing::ordered) {
    timing_.launch(index, flight.start_s);
  } else {
    const double drained_s =
        flight.start_s + way.level->of(flight.bytes).transmission_s(flight.bytes);
    arrived(index, drained_s,
            arrival(flight.start_s, drained_s, way, flight.from, flight.to, flight.bytes));
  }
}

// What the end of a transfer depended on: the sender's announcement, or the receive when it was
// posted later.
template <class Timing>
Cause Engine<Timing>::cause_of(const Flight& flight, bool of_receiver) const {
  const Path way = path(flight.from, flight.to);
  const double transmission_s = way.level->of(flight.bytes).transmission_s(flight.bytes);
  const double last_s = of_receiver ? way.latency_s : 0.0;
  if (!flight.rendezvous)
    return {flight.from, flight.ready_s, last_s, transmission_s, flight.stretches};
  const bool receiver_late = flight.posted_s > flight.ready_s + way.latency_s &&
                             flight.start_s == flight.posted_s + way.latency_s;
  if (receiver_late) return {flight.to, flight.posted_s, way.latency_s + last_s, transmission_s};
  return {flight.from, flight.ready_s, 2 * way.latency_s + last_s, transmission_s,
          flight.stretches};
}

template <class Timing>
void Engine<Timing>::arrived(std::uint32_t index, double drained_s, double arrival_s) {
  Flight& flight = flights_[index];
  if (flight.what != Flight::What::message) {
    const Flight done = flight;
    flights_.give_back(index);
    Flight copy = done;
    remote_done(copy, drained_s, arrival_s);
    return;
  }
  Cause of_receiver, of_sender;
  if (recording()) {
    of_receiver = cause_of(flight, true);
    of_sender = cause_of(flight, false);
  }
  const Waiter sender = flight.sender;
  const Waiter receiver = flight.receiver;
  const Waiter prober = flight.prober;
  const std::uint64_t bytes = flight.bytes;
  if (receiver.is_somebody()) {
    flights_.give_back(index);
  } else {
    flight.state = Flight::State::arrived;
    flight.arrival_s = arrival_s;
    flight.prober = Waiter{};
  }
  if (sender.is_somebody()) complete(sender, drained_s, 0, of_sender);
  if (prober.is_somebody()) complete(prober, arrival_s, bytes, of_receiver);
  if (receiver.is_somebody()) complete(receiver, arrival_s, bytes, of_receiver);
}

template <class Timing>
bool Engine<Timing>::receive(Actor& owner, const Key& key, double posted_s, Waiter waiter) {
  Actor& rank = actors_[static_cast<std::size_t>(owner.rank)];
  const Found found = matching_.find(rank.inbox, key);
  if (found.entry == none && &rank == &owner && waiter.kind() == Waiter::Kind::actor) {
    rank.awaited = key;
    rank.posted_s = posted_s;
    return false;
  }
  if (found.entry == none || matching_[found.entry].kind() == EntryKind::receive) {
    matching_.append(rank.inbox, key, EntryKind::receive, waiter.bits(), posted_s);
    return false;
  }
  const Entry entry = matching_[found.entry];
  matching_.remove(rank.inbox, found);
  if (entry.kind() == EntryKind::message) {
    owner.result_s = entry.time_s;
    owner.result_bytes = entry.bytes;
    if (recording()) {
      const Cause cause = recorder_->of_entry[found.entry];
      Recorder::at(recorder_->of_actor, owner.index) = cause;
    }
    return true;
  }
  const auto index = static_cast<std::uint32_t>(entry.node);
  Flight& flight = flights_[index];
  if (flight.state == Flight::State::announced) {
    if constexpr (Timing::ordered) {
      answer(index, posted_s, waiter);
      return false;
    } else {
      const Waiting before = owner.waiting;
      answer(index, posted_s, waiter_of(owner));  // at once: completes the owner's result
      owner.waiting = before;
      return true;
    }
  }
  if (flight.state == Flight::State::moving) {
    flight.receiver = waiter;
    return false;
  }
  owner.result_s = flight.arrival_s;
  owner.result_bytes = flight.bytes;
  if (recording()) Recorder::at(recorder_->of_actor, owner.index) = cause_of(flight, true);
  flights_.give_back(index);
  return true;
}

// The message needs the last F = n L + G (s - 1) before its arrival, n = 1, or 2 by rendezvous
// (from the answer on). What of that falls into the rank's computing [c0, c1] went at the speed p:
// done by c1 is what lies before c0 and p (c1 - c0), the rest follows at full speed.
template <class Timing>
double Engine<Timing>::disturbed_arrival(const Actor& self, std::int32_t from, double arrival_s,
                                         std::uint64_t bytes) const {
  if (from == self.rank || self.helper) return arrival_s;
  const Recent& recent = recent_[static_cast<std::size_t>(self.rank)];
  const Path way = path(from, self.rank);
  const SizeClass& costs = way.level->of(bytes);
  const bool eager = bytes <= way.level->eager_limit_bytes;
  const double flight_s = std::max(
      costs.transmission_s(bytes) + (eager ? 1 : 2) * way.latency_s + costs.later(bytes), 0.0);
  const double begin_s = arrival_s - flight_s;
  if (recent.sent_from < arrival_s && recent.sent_to > begin_s) arrival_s += costs.crossing_s;
  const double share = options_.progress == Progress::hardware             ? 1.0
                       : options_.progress == Progress::in_calls && !eager ? 0.0
                                                                           : costs.progress;
  const double from_s = std::max(recent.computes_from, begin_s);
  const double left_s = arrival_s - from_s;  // at full speed, when the computing begins
  if (share >= 1 || left_s <= 0 || recent.computes_to <= from_s) return arrival_s;
  const double computing_s = recent.computes_to - from_s;
  if (share * computing_s >= left_s) return from_s + left_s / share;
  return recent.computes_to + left_s - share * computing_s;
}

// In the order in which the rank completes its receives: the NIC needs G (s - 1) + g for each.
template <class Timing>
double Engine<Timing>::serialised(Actor& self, std::int32_t from, double arrival_s,
                                  std::uint64_t bytes) {
  if (from == self.rank) return arrival_s;
  const SizeClass& costs = path(from, self.rank).level->of(bytes);
  double& drained = recent_[static_cast<std::size_t>(self.rank)].drained;
  arrival_s = std::max(arrival_s, drained + costs.transmission_s(bytes));
  drained = arrival_s + costs.gap_s;
  return arrival_s;
}

template <class Timing>
void Engine<Timing>::finish_receive(Actor& self, std::int32_t from, double arrival_s,
                                    std::uint64_t bytes, SegmentKind kind) {
  if (serialises() && !self.helper) arrival_s = serialised(self, from, arrival_s, bytes);
  if (disturbed()) arrival_s = disturbed_arrival(self, from, arrival_s, bytes);
  wait_until(self, arrival_s);
  spend(self, path(from, self.rank).level->of(bytes).receive_overhead_s, kind);
}

}  // namespace hakaru::replay
