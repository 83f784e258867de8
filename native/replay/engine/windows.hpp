// One-sided operations. A put costs the origin o_send and its turn at the NIC; it is complete here
// when its last byte has left, and there when the acknowledgement has come back (another L). A
// get's request takes L, and the target's NIC answers at once, without its CPU. An accumulate is a
// put whose reduction is paid at the target. Where prices of the calls were measured, they cost
// those.
#pragma once

#include <map>
#include <utility>

#include "native/replay/engine/accesses.hpp"
#include "native/replay/engine/collectives.hpp"
#include "native/replay/engine/flags.hpp"

namespace hakaru::replay {

// Every call: false when the actor is blocked in it; it goes on in the same call.
template <class Timing>
class Windows {
 public:
  Windows(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
          Transport<Timing>& transport, OpenRequests<Timing>& open, Accesses<Timing>& accesses,
          Flags<Timing>& flags, const WindowPrices& prices, Collectives<Timing>& collectives,
          Timing& timing)
      : given_(given),
        ranks_(ranks),
        accounts_(accounts),
        transport_(transport),
        open_(open),
        accesses_(accesses),
        flags_(flags),
        prices_(prices),
        collectives_(collectives),
        timing_(timing) {}

  // Also accumulates.
  bool put(Actor& actor);
  bool get(Actor& actor);
  bool fence(Actor& actor);
  // post, start, complete, wait_exposure, lock, unlock, flush.
  bool synchronise(Actor& actor);

  // The last byte of a put or of what was got left at drained_s and arrived at arrival_s.
  void arrived(std::uint32_t flight, double drained_s, double arrival_s);
  // The ranks whose messages a start or a wait of an exposure epoch waits for, in turn.
  const std::vector<std::int64_t>& partners(const Actor& actor) const {
    const Epoch& epoch = epochs_.at({actor.rank, actor.operation->communicator});
    return actor.operation->kind == schedule::Kind::start ? *epoch.started : *epoch.posted;
  }

 private:
  using Operation = schedule::Operation;
  using Partners = std::vector<std::int64_t>;
  struct Epoch {
    const Partners* posted = nullptr;
    const Partners* started = nullptr;
  };

  std::int32_t peer(const Actor& actor) const {
    return schedule::peer_of(*actor.operation, actor.rank, given_.schedule.ranks);
  }
  const Partners& list(const Operation& operation) const {
    return given_.schedule.lists[static_cast<std::size_t>(operation.payload)];
  }
  // By which a put of new data takes longer that are strided.
  double in_pieces_s(const Operation& operation, const OneSided& prices) const {
    if (operation.payload == schedule::no_payload) return 0.0;
    const auto bytes = static_cast<double>(operation.bytes);
    const auto items = static_cast<double>(list(operation)[1]);
    return items > 1.0 ? prices.put_pieces.at(bytes / items, bytes) * bytes : 0.0;
  }
  static bool raises(const Operation& operation, std::int32_t sent_flag) {
    return operation.tag > 0 || sent_flag > 0;
  }
  // How soon after another call the actor begins a priced one that concerns a rank, or all (-1).
  double soon(const Actor& actor, std::int32_t target) {
    return transport_.soon(
        actor, target >= 0 ? transport_.level(actor.rank, target) : prices_.level_of_all(actor));
  }
  void call(Actor& actor, const CallPrice& price, double soon);
  bool access_by_price(Actor& actor, const OneSided& prices, std::int32_t peer);
  void fly(Actor& actor, Flight::What what, double start_s, std::int32_t from, std::int32_t to);
  void land(const Flight& flight, double drained_s, double arrival_s);
  void notify(Actor& actor, const Partners& partners, Traffic traffic);
  bool await(Actor& actor, const Partners& partners, Traffic traffic);
  bool epoch(Actor& actor);
  void lock(Actor& actor, std::int32_t target, const OneSided* priced);
  bool complete(Actor& actor, std::int32_t target, const OneSided* priced);

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Transport<Timing>& transport_;
  OpenRequests<Timing>& open_;
  Accesses<Timing>& accesses_;
  Flags<Timing>& flags_;
  const WindowPrices& prices_;
  Collectives<Timing>& collectives_;
  Timing& timing_;
  std::map<std::pair<std::int32_t, std::uint32_t>, Epoch> epochs_;
};

template <class Timing>
bool Windows<Timing>::put(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t to = peer(self);
  if (const OneSided* priced = prices_.between(operation, self.rank, to))
    return access_by_price(self, *priced, to);
  const SizeClass& costs = transport_.path(self.rank, to).level->of(operation.bytes);
  accounts_.spend(self, costs.send_overhead_s, SegmentKind::overhead);
  double slot_s = self.clock;
  if (to != self.rank) {
    slot_s = std::max(self.clock, self.nic_free);
    self.nic_free = slot_s + costs.transmission_s(operation.bytes) + costs.gap_s;
  } else {
    transport_.copy(self, operation.bytes, SegmentKind::overhead);
    if (const OneSided* priced = prices_.of_all(self);
        priced != nullptr && raises(operation, flags_.sent_by(operation)))
      accounts_.spend(self, OneSided::of(priced->put, operation.bytes).flag_s,
                      SegmentKind::overhead);
    slot_s = self.clock;
  }
  fly(self, Flight::What::put, slot_s, self.rank, to);
  return true;
}

template <class Timing>
bool Windows<Timing>::get(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t from = peer(self);
  if (const OneSided* priced = prices_.between(operation, self.rank, from))
    return access_by_price(self, *priced, from);
  const Path way = transport_.path(self.rank, from);
  accounts_.spend(self, way.level->of(operation.bytes).send_overhead_s, SegmentKind::overhead);
  if (from == self.rank) transport_.copy(self, operation.bytes, SegmentKind::overhead);
  fly(self, Flight::What::get, self.clock + way.latency_s, from, self.rank);
  return true;
}

template <class Timing>
void Windows<Timing>::call(Actor& self, const CallPrice& price, double soon) {
  accounts_.spend(self, price.at(soon), SegmentKind::overhead);
  transport_.accessed(self);
}

// The call is the origin's; of many, each begins gap_s after the one before; done_s after its turn
// it is complete at the target, whatever the target does.
template <class Timing>
bool Windows<Timing>::access_by_price(Actor& self, const OneSided& prices, std::int32_t target) {
  using schedule::Kind;
  const Operation& operation = *self.operation;
  const bool get = operation.kind == Kind::get;
  AccessPrice price = OneSided::of(get                                  ? prices.get
                                   : operation.kind == Kind::accumulate ? prices.accumulate
                                                                        : prices.put,
                                   operation.bytes);
  if (price.new_s && operation.kind == Kind::put) *price.new_s += in_pieces_s(operation, prices);
  accounts_.sent(self, operation.bytes);
  const double cold_s = transport_.access_after_work(self, target, operation.tag, price);
  const std::int32_t sent_flag = flags_.sent_by(operation);
  const double call_s = price.call_s + cold_s + (raises(operation, sent_flag) ? price.flag_s : 0.0);
  call(self, {call_s, call_s + price.apart_s}, soon(self, target));
  const std::uint32_t index = accesses_.open(self, target);
  Access& one = accesses_[index];
  const double turn_s = std::max(self.clock, one.free_s);
  one.free_s = turn_s + price.gap_s;
  const double done_s = turn_s + price.done_s;
  const Cause cause{self.rank, self.clock, 0, price.done_s};
  flags_.raise(get ? target : self.rank, sent_flag, turn_s, cause);
  flags_.raise(get ? self.rank : target, operation.tag, std::max(done_s, turn_s + price.seen_s),
               cause);
  one.remote_s = std::max(one.remote_s, done_s);
  one.local_s = std::max(one.local_s, get ? done_s : turn_s);
  if (Recorder* recorder = given_.recorder()) Recorder::at(recorder->of_access, index) = cause;
  if (operation.request >= 0)
    ranks_.complete({Waiter::Kind::request, open_.start(self, Request::Kind::access)},
                    get ? done_s : turn_s, operation.bytes, cause);
  return true;
}

template <class Timing>
void Windows<Timing>::fly(Actor& self, Flight::What what, double start_s, std::int32_t from,
                          std::int32_t to) {
  const Operation& operation = *self.operation;
  accounts_.sent(self, operation.bytes);
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
  flight.sent_flag = flags_.sent_by(operation);
  flight.access = accesses_.begin(accesses_.open(self, peer(self)));
  if (operation.request >= 0)
    flight.sender = {Waiter::Kind::request, open_.start(self, Request::Kind::access)};
  if constexpr (Timing::ordered) {
    const std::uint32_t index = transport_.flights().take();
    transport_.flights()[index] = flight;
    timing_.launch(index, start_s);
  } else {
    const Path way = transport_.path(from, to);
    const double drained_s = start_s + way.level->of(flight.bytes).transmission_s(flight.bytes);
    land(flight, drained_s, drained_s + way.latency_s);
  }
}

template <class Timing>
void Windows<Timing>::arrived(std::uint32_t index, double drained_s, double arrival_s) {
  const Flight flight = transport_.flights()[index];
  transport_.flights().give_back(index);
  land(flight, drained_s, arrival_s);
}

template <class Timing>
void Windows<Timing>::land(const Flight& flight, double drained_s, double arrival_s) {
  const Path way = transport_.path(flight.from, flight.to);
  const double latency_s = way.latency_s;
  const double transmission_s = way.level->of(flight.bytes).transmission_s(flight.bytes);
  const bool put = flight.what == Flight::What::put;
  const std::int32_t origin = put ? flight.from : flight.to;
  const auto cause = [&](double latencies_s) {
    return Cause{origin, flight.ready_s, latencies_s, transmission_s};
  };
  double done_s = arrival_s;
  if (flight.reduces) done_s += given_.costs.reduction_s(flight.bytes);
  const double asked_s = (put ? 0 : 1) * latency_s;
  flags_.raise(flight.from, flight.sent_flag, drained_s, cause(asked_s));
  flags_.raise(flight.to, flight.flag, done_s, cause(asked_s + latency_s));
  Access& one = accesses_[flight.access.index()];
  const double remote_s = put ? done_s + latency_s : arrival_s;
  const double local_s = put ? drained_s : arrival_s;
  if (Recorder* recorder = given_.recorder(); recorder != nullptr && remote_s >= one.remote_s)
    Recorder::at(recorder->of_access, flight.access.index()) = cause(2 * latency_s);
  one.remote_s = std::max(one.remote_s, remote_s);
  one.local_s = std::max(one.local_s, local_s);
  if (flight.sender.is_somebody())
    ranks_.complete(flight.sender, local_s, flight.bytes, cause(latency_s));
  accesses_.end(flight.access.index());
}

// Everything of this rank is complete at its target; then a barrier, after which everything of all
// ranks is.
template <class Timing>
bool Windows<Timing>::fence(Actor& self) {
  if (self.stage == Stage::begins) {
    if (!accesses_.quiet(self, -1, false)) return false;
    collectives_.enter(self, schedule::Collective::barrier, false);
    if (self.waiting == Waiting::blocked) return false;
  }
  return collectives_.advance(self);
}

template <class Timing>
void Windows<Timing>::notify(Actor& self, const Partners& partners, Traffic traffic) {
  const std::uint32_t channel = channel_of(self.operation->communicator, traffic);
  for (const std::int64_t partner : partners) {
    const auto to = static_cast<std::int32_t>(partner);
    const OneSided* priced = prices_.between(*self.operation, self.rank, to);
    if (priced == nullptr) {
      transport_.send(self, to, 0, channel, 0, Protocol::eager, Waiter{}, SegmentKind::overhead);
      continue;
    }
    call(self, traffic == Traffic::post ? priced->post : priced->complete, soon(self, to));
    transport_.deliver_direct(self, to, {self.rank, 0, channel}, 0);
  }
}

template <class Timing>
bool Windows<Timing>::await(Actor& self, const Partners& partners, Traffic traffic) {
  if (self.stage == Stage::begins) {
    self.step = 0;
    self.stage = Stage::asks;
  }
  for (; self.step < partners.size(); ++self.step, self.stage = Stage::asks) {
    const auto from = static_cast<std::int32_t>(partners[self.step]);
    if (self.stage == Stage::asks) {
      self.stage = Stage::expects;
      const Key key{from, 0, channel_of(self.operation->communicator, traffic)};
      if (!transport_.receive(self, key, self.clock, waiter_of(self))) {
        self.waiting = Waiting::blocked;
        return false;
      }
    }
    if (const OneSided* priced = prices_.between(*self.operation, from, self.rank)) {
      const double begun = soon(self, from);
      accounts_.wait_until(self, self.result_s);
      call(self, traffic == Traffic::post ? priced->start : priced->wait, begun);
    } else {
      transport_.finish_receive(self, from, self.result_s, 0, SegmentKind::overhead);
    }
  }
  return true;
}

template <class Timing>
bool Windows<Timing>::epoch(Actor& self) {
  using schedule::Kind;
  const Operation& operation = *self.operation;
  Epoch& epoch = epochs_[{self.rank, operation.communicator}];
  switch (operation.kind) {
    case Kind::post:
      epoch.posted = &list(operation);
      notify(self, list(operation), Traffic::post);
      return true;
    case Kind::start:
      epoch.started = &list(operation);
      return await(self, list(operation), Traffic::post);
    case Kind::complete:
      if (epoch.started == nullptr)
        misused(given_.schedule, self, "ends an access epoch", "it began none");
      if (!accesses_.quiet(self, -1, false)) return false;
      notify(self, *std::exchange(epoch.started, nullptr), Traffic::complete);
      return true;
    default:
      if (epoch.posted == nullptr)
        misused(given_.schedule, self, "ends an exposure epoch", "it began none");
      return await(self, *epoch.posted, Traffic::complete);
  }
}

// Taken at the target without contention: a round trip; lock_all takes none.
template <class Timing>
void Windows<Timing>::lock(Actor& self, std::int32_t target, const OneSided* priced) {
  if (priced != nullptr)
    return call(self, target >= 0 ? priced->lock : priced->lock_all, soon(self, target));
  if (target < 0) return;
  const Path way = transport_.path(self.rank, target);
  accounts_.spend(self, way.level->of(0).send_overhead_s, SegmentKind::overhead);
  if (Recorder* recorder = given_.recorder())
    Recorder::at(recorder->of_actor, self.index) = {self.rank, self.clock, 2 * way.latency_s, 0};
  accounts_.wait_until(self, self.clock + 2 * way.latency_s);
}

template <class Timing>
bool Windows<Timing>::complete(Actor& self, std::int32_t target, const OneSided* priced) {
  const Operation& operation = *self.operation;
  const bool flush = operation.kind == schedule::Kind::flush;
  const double begun = priced != nullptr ? soon(self, target) : 0.0;
  if (!accesses_.quiet(self, target, flush && operation.mode == schedule::Mode::local))
    return false;
  if (priced != nullptr)
    call(self, flush ? priced->flush : target >= 0 ? priced->unlock : priced->unlock_all, begun);
  return true;
}

template <class Timing>
bool Windows<Timing>::synchronise(Actor& self) {
  using schedule::Kind;
  const Operation& operation = *self.operation;
  const bool of_some = operation.kind == Kind::post || operation.kind == Kind::start ||
                       operation.kind == Kind::complete || operation.kind == Kind::wait_exposure;
  if (of_some) return epoch(self);
  const std::int32_t target = operation.peer < 0 && !operation.relative_peer ? -1 : peer(self);
  const OneSided* priced =
      target >= 0 ? prices_.between(operation, self.rank, target) : prices_.of_all(self);
  if (operation.kind != Kind::lock) return complete(self, target, priced);
  lock(self, target, priced);
  return true;
}

}  // namespace hakaru::replay
