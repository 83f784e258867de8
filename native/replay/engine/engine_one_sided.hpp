// One-sided operations. A put costs the origin o_send and its turn at the NIC; it is complete here
// when its last byte has left, and there when the acknowledgement has come back (another L). A
// get's request takes L, and the target's NIC answers at once, without its CPU. An accumulate is a
// put whose reduction is paid at the target.
#pragma once

#include <fmt/core.h>

#include "native/base/require.hpp"
#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
std::uint32_t Engine<Timing>::access(Actor& self, std::int32_t target) {
  if (access_of_rank_.empty()) access_of_rank_.assign(ranks_, none);
  std::uint32_t& first = access_of_rank_[static_cast<std::size_t>(self.rank)];
  for (std::uint32_t i = first; i != none; i = accesses_[i].next)
    if (accesses_[i].peer == target && accesses_[i].family == self.operation->communicator)
      return i;
  const std::uint32_t index = accesses_.take();
  accesses_[index] = {first, target, self.operation->communicator, 0, 0, 0, 0};
  if (recording()) Recorder::at(recorder_->of_access, index) = {};
  return first = index;
}

template <class Timing>
bool Engine<Timing>::put(Actor& self) {
  if (costs_.put_get) return transfer(self);
  const Operation& operation = *self.operation;
  const std::int32_t to = peer(self);
  if (const OneSided* priced = prices(operation, self.rank, to))
    return access_by_price(self, *priced, to);
  const SizeClass& costs = path(self.rank, to).level->of(operation.bytes);
  spend(self, costs.send_overhead_s, SegmentKind::overhead);
  double slot_s = self.clock;
  if (to != self.rank) {
    slot_s = std::max(self.clock, self.nic_free);
    self.nic_free = slot_s + costs.transmission_s(operation.bytes) + costs.gap_s;
  } else {
    copy(self, operation.bytes, SegmentKind::overhead);
    slot_s = self.clock;
  }
  fly(self, Flight::What::put, slot_s, self.rank, to);
  return true;
}

template <class Timing>
bool Engine<Timing>::get(Actor& self) {
  if (costs_.put_get) return transfer(self);
  const Operation& operation = *self.operation;
  const std::int32_t from = peer(self);
  if (const OneSided* priced = prices(operation, self.rank, from))
    return access_by_price(self, *priced, from);
  const Path way = path(self.rank, from);
  spend(self, way.level->of(operation.bytes).send_overhead_s, SegmentKind::overhead);
  if (from == self.rank) copy(self, operation.bytes, SegmentKind::overhead);
  fly(self, Flight::What::get, self.clock + way.latency_s, from, self.rank);
  return true;
}

template <class Timing>
void Engine<Timing>::fly(Actor& self, Flight::What what, double start_s, std::int32_t from,
                         std::int32_t to) {
  const Operation& operation = *self.operation;
  RankResult& account = accounts_[static_cast<std::size_t>(self.rank)];
  ++account.messages;
  account.bytes += operation.bytes;
  Flight flight;
  flight.what = what;
  flight.state = Flight::State::moving;
  flight.ready_s = self.clock;
  flight.start_s = start_s;
  flight.bytes = operation.bytes;
  flight.from = from;
  flight.to = to;
  flight.flag = operation.tag;
  flight.reduces = operation.kind == schedule::Kind::accumulate;
  flight.sent_flag = sent_flag(operation);
  const std::uint32_t one = access(self, peer(self));
  ++accesses_[one].outstanding;
  flight.access = {Waiter::Kind::access, one};
  if (operation.request >= 0)
    flight.sender = {Waiter::Kind::request, new_request(self, Request::Kind::access)};
  if constexpr (Timing::ordered) {
    const std::uint32_t index = flights_.take();
    flights_[index] = flight;
    timing_.launch(index, start_s);
  } else {
    const Path way = path(from, to);
    const double drained_s = start_s + way.level->of(flight.bytes).transmission_s(flight.bytes);
    remote_done(flight, drained_s, drained_s + way.latency_s);
  }
}

template <class Timing>
void Engine<Timing>::remote_done(Flight& flight, double drained_s, double arrival_s) {
  const Path way = path(flight.from, flight.to);
  const bool put = flight.what == Flight::What::put;
  const double transmission_s = way.level->of(flight.bytes).transmission_s(flight.bytes);
  const std::int32_t origin = put ? flight.from : flight.to;
  double done_s = arrival_s;
  if (flight.reduces) done_s += costs_.reduction_s_per_byte * static_cast<double>(flight.bytes);
  const double legs_s = (put ? 0 : 1) * way.latency_s;
  raise_flag(flight.from, flight.sent_flag, drained_s,
             {origin, flight.ready_s, legs_s, transmission_s});
  raise_flag(flight.to, flight.flag, done_s,
             {origin, flight.ready_s, legs_s + way.latency_s, transmission_s});
  Access& one = accesses_[flight.access.index()];
  const double remote_s = put ? done_s + way.latency_s : arrival_s;
  if (recording() && remote_s >= one.remote_s)
    Recorder::at(recorder_->of_access, flight.access.index()) = {origin, flight.ready_s,
                                                                 2 * way.latency_s, transmission_s};
  one.remote_s = std::max(one.remote_s, remote_s);
  one.local_s = std::max(one.local_s, put ? drained_s : arrival_s);
  --one.outstanding;
  if (flight.sender.is_somebody())
    complete(flight.sender, put ? drained_s : arrival_s, flight.bytes,
             {origin, flight.ready_s, way.latency_s, transmission_s});
  if (one.outstanding == 0) {
    const auto waiter = access_waiters_.find(flight.access.index());
    if (waiter != access_waiters_.end()) {
      const std::uint32_t index = waiter->second;
      access_waiters_.erase(waiter);
      wake(actor(index), index);
    }
  }
}

template <class Timing>
bool Engine<Timing>::quiet(Actor& self, std::int32_t target, bool local) {
  if (access_of_rank_.empty()) return true;
  const auto concerns = [&](const Access& one) {
    return one.family == self.operation->communicator && (target < 0 || one.peer == target);
  };
  std::uint32_t* first = &access_of_rank_[static_cast<std::size_t>(self.rank)];
  for (std::uint32_t i = *first; i != none; i = accesses_[i].next) {
    if (!concerns(accesses_[i]) || accesses_[i].outstanding == 0) continue;
    access_waiters_[i] = self.index;
    self.waiting = Waiting::blocked;
    return false;
  }
  for (std::uint32_t* link = first; *link != none;) {
    const std::uint32_t index = *link;
    Access& one = accesses_[index];
    if (!concerns(one)) {
      link = &one.next;
      continue;
    }
    wait_until(self, local ? one.local_s : one.remote_s, &Recorder::of_access, index);
    if (local) {
      link = &one.next;
    } else {
      *link = one.next;
      accesses_.give_back(index);
    }
  }
  return true;
}

// Everything of this rank is complete at its target; then a barrier, after which everything of all
// ranks is.
template <class Timing>
bool Engine<Timing>::fence(Actor& self) {
  if (self.stage == Stage::begins) {
    if (!quiet(self, -1, false)) return false;
    enter(self, schedule::Collective::barrier, false);
    if (self.waiting == Waiting::blocked) return false;
  }
  return collective_steps(self);
}

template <class Timing>
bool Engine<Timing>::notify(Actor& self, const std::vector<std::int64_t>& partners,
                            Traffic traffic) {
  const std::uint32_t channel = channel_of(self.operation->communicator, traffic);
  for (const std::int64_t partner : partners) {
    const auto to = static_cast<std::int32_t>(partner);
    const OneSided* priced = prices(*self.operation, self.rank, to);
    if (priced == nullptr) {
      send(self, to, 0, channel, 0, Protocol::eager, Waiter{}, SegmentKind::overhead);
      continue;
    }
    spend(self, traffic == Traffic::post ? priced->post_s : priced->complete_s,
          SegmentKind::overhead);
    deliver_direct(self, to, {self.rank, 0, channel}, 0);
  }
  return true;
}

template <class Timing>
bool Engine<Timing>::await(Actor& self, const std::vector<std::int64_t>& partners,
                           Traffic traffic) {
  if (self.stage == Stage::begins) {
    self.step = 0;
    self.stage = Stage::asks;
  }
  for (; self.step < partners.size(); ++self.step, self.stage = Stage::asks) {
    const auto from = static_cast<std::int32_t>(partners[self.step]);
    if (self.stage == Stage::asks) {
      self.stage = Stage::expects;
      const Key key{from, 0, channel_of(self.operation->communicator, traffic)};
      if (!receive(self, key, self.clock, waiter_of(self))) {
        self.waiting = Waiting::blocked;
        return false;
      }
    }
    if (const OneSided* priced = prices(*self.operation, from, self.rank)) {
      wait_until(self, self.result_s);
      spend(self, traffic == Traffic::post ? priced->start_s : priced->wait_s,
            SegmentKind::overhead);
    } else {
      finish_receive(self, from, self.result_s, 0, SegmentKind::overhead);
    }
  }
  return true;
}

template <class Timing>
bool Engine<Timing>::synchronise(Actor& self) {
  using schedule::Kind;
  const Operation& operation = *self.operation;
  const auto list = [&]() -> const std::vector<std::int64_t>& {
    return schedule_.lists[static_cast<std::size_t>(operation.payload)];
  };
  Epoch& epoch = epochs_[{self.rank, operation.communicator}];
  const std::int32_t target = operation.peer < 0 && !operation.relative_peer ? -1 : peer(self);
  const bool of_one = target >= 0;
  const OneSided* priced = of_one ? prices(operation, self.rank, target) : prices(self);
  switch (operation.kind) {
    case Kind::post:
      epoch.posted = &list();
      return notify(self, list(), Traffic::post);
    case Kind::start:
      epoch.started = &list();
      return await(self, list(), Traffic::post);
    case Kind::complete:
      if (epoch.started == nullptr) misused(self, "ends an access epoch", "it began none");
      if (!quiet(self, -1, false)) return false;
      return notify(self, *std::exchange(epoch.started, nullptr), Traffic::complete);
    case Kind::wait_exposure:
      if (epoch.posted == nullptr) misused(self, "ends an exposure epoch", "it began none");
      return await(self, *epoch.posted, Traffic::complete);
    case Kind::lock:  // taken at the target without contention: a round trip; lock_all takes none
      if (priced != nullptr) {
        spend(self, target >= 0 ? priced->lock_s : priced->lock_all_s, SegmentKind::overhead);
      } else if (target >= 0) {
        const Path way = path(self.rank, target);
        spend(self, way.level->of(0).send_overhead_s, SegmentKind::overhead);
        if (recording())
          Recorder::at(recorder_->of_actor, self.index) = {self.rank, self.clock, 2 * way.latency_s,
                                                           0};
        wait_until(self, self.clock + 2 * way.latency_s);
      }
      return true;
    default:
      if (!quiet(self, target,
                 operation.kind == Kind::flush && operation.mode == schedule::Mode::local))
        return false;
      if (priced != nullptr)
        spend(self,
              operation.kind == Kind::flush ? priced->flush_s
              : target >= 0                 ? priced->unlock_s
                                            : priced->unlock_all_s,
              SegmentKind::overhead);
      return true;
  }
}

// The n-th smallest of the times that are known. In the contention-free engine more than n may be
// known when the rank comes to look; a later one that is not known yet can only matter when several
// ranks raise one flag without being told when to stop.
template <class Timing>
bool Engine<Timing>::flag_wait(Actor& self) {
  if (self.stage == Stage::begins && costs_.put_get &&
      !library(self, costs_.put_get->check_prolog_time))
    return false;
  const Operation& operation = *self.operation;
  if (operation.bytes == 0) return true;
  Flag& flag = flags_[{self.rank, operation.tag}];
  if (flag.raised_s.size() < operation.bytes) {
    flag.wanted = operation.bytes;
    flag.waiter = self.index;
    self.waiting = Waiting::blocked;
    return false;
  }
  // Those that were asked for are gone: what is raised later and earlier than they were does not
  // change when the wait after this one ends, as this rank has already waited for them.
  const auto last = flag.raised_s.begin() + static_cast<std::ptrdiff_t>(operation.bytes);
  std::nth_element(flag.raised_s.begin(), last - 1, flag.raised_s.end());
  wait_until(self, *(last - 1));
  flag.raised_s.erase(flag.raised_s.begin(), last);
  return true;
}

template <class Timing>
void Engine<Timing>::raise_flag(std::int32_t rank, std::int32_t number, double time_s,
                                const Cause& cause) {
  if (number <= 0 || !has_flags_) return;
  Flag& flag = flags_[{rank, number}];
  flag.raised_s.push_back(time_s);
  if (flag.waiter == none || flag.raised_s.size() < flag.wanted) return;
  if (recording()) Recorder::at(recorder_->of_actor, flag.waiter) = cause;
  wake(actor(flag.waiter), flag.waiter);
  flag.waiter = none;
}

}  // namespace hakaru::replay
