// Messages: what a send costs, which receive it belongs to, and when it arrives.
//
// A message of s bytes, sent at t: the CPU is busy until t + o_send; the NIC takes it when it is
// done with the messages before, at i >= t + o_send, and is busy until i + G (s - 1) + g; the last
// byte arrives at i + G (s - 1) + L. The receive costs o_receive from max(arrival, when it is
// waited for). Rendezvous: the announcement reaches the receiver at t + o_send + L, the answer
// leaves when the receive is posted and takes L, and then the transfer begins. A blocking sender is
// held until its last byte has left. A transfer takes its turn at the NIC when it is started by the
// program; so a run is a system of maxima and sums in which the order of execution plays no part.
#pragma once

#include "native/replay/engine/ranks.hpp"

namespace hakaru::replay {

enum class Traffic : std::uint32_t { message, collective, request_collective, post, complete };
inline std::uint32_t channel_of(std::uint32_t family, Traffic traffic) {
  return family << 3U | static_cast<std::uint32_t>(traffic);
}

enum class Protocol { by_size, eager, rendezvous };

// Of messages whose cost is in measured prices of calls.
inline const Level direct_level{};

inline Waiter waiter_of(const Actor& actor) { return {Waiter::Kind::actor, actor.index}; }

template <class Timing>
class Transport {
 public:
  Transport(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
            Disturbance<Timing>& disturbance, Timing& timing)
      : given_(given),
        ranks_(ranks),
        accounts_(accounts),
        disturbance_(disturbance),
        timing_(timing),
        paths_(given.network) {}

  HAKARU_HOT Path path(std::int32_t from, std::int32_t to) const {
    return paths_.between(from, to);
  }
  // Of ranks that differ.
  HAKARU_HOT const Level& level(std::int32_t from, std::int32_t to) const {
    return paths_.level(from, to);
  }
  // The path of a message that leaves. Where links are shared, its latency is asked for when the
  // message has them, and is not said here.
  HAKARU_HOT Path way_out(std::int32_t from, std::int32_t to) const {
    if (!Timing::ordered || from == to) return path(from, to);
    return {&level(from, to), 0.0};
  }
  // A message to oneself is a copy by the CPU.
  void copy(Actor& actor, std::uint64_t bytes, SegmentKind kind) {
    accounts_.spend(actor, paths_.self().of(bytes).copy_per_byte_s * static_cast<double>(bytes),
                    kind);
  }
  // By which a put or a get takes the CPU longer after computing.
  double access_after_work(const Actor& actor, std::int32_t target, std::int32_t flag,
                           const AccessPrice& price) {
    if (!colder(actor, target)) return 0.0;
    return disturbance_.access_after_work(actor.rank, level(actor.rank, target), target, flag,
                                          actor.operation->bytes, price);
  }
  // Starts a message. True: the sender has nothing to wait for; else `waiter` is told when the last
  // byte has left.
  HAKARU_HOT bool send(Actor& actor, std::int32_t to, std::int32_t tag, std::uint32_t channel,
                       std::uint64_t bytes, Protocol protocol, Waiter waiter, SegmentKind kind);
  // A message that takes no time: what it costs is in measured prices.
  void deliver_direct(const Actor& actor, std::int32_t to, const Key& key, std::uint64_t bytes) {
    deliver_eager(actor, to, key, bytes, actor.clock, {&direct_level, 0.0},
                  direct_level.classes.front());
  }
  HAKARU_HOT void deliver_eager(const Actor& actor, std::int32_t to, const Key& key,
                                std::uint64_t bytes, double slot_s, const Path& path,
                                const SizeClass& costs);
  // True: `actor.result_s` and `result_bytes` say when it arrived; else `waiter` is told.
  HAKARU_HOT bool receive(Actor& owner, const Key& key, double posted_s, Waiter waiter);
  // The first message of the key, if one is there: into `actor.result_s` and `result_bytes`.
  bool take(Actor& owner, const Key& key);
  // What the end of a receive costs.
  HAKARU_HOT void finish_receive(Actor& actor, std::int32_t from, double arrival_s,
                                 std::uint64_t bytes, SegmentKind kind);
  // True: `actor.result_s` says when the first message of the key could be received; else the actor
  // is told. Takes nothing.
  bool probe(Actor& actor, const Key& key);

  // Of those whose fate is not known when they are sent, and of puts and gets.
  Pool<Flight>& flights() { return flights_; }
  // The last byte of a message left at drained_s and arrived at arrival_s.
  void arrived(std::uint32_t flight, double drained_s, double arrival_s);
  // How soon after any call a rank begins one of one side, and that it is done with one.
  double soon(const Actor& actor, const Level& level) {
    return given_.disturbed() ? disturbance_.soon(actor.rank, level, actor.clock) : 0.0;
  }
  void accessed(const Actor& actor) {
    if (given_.disturbed()) disturbance_.accessed(actor.rank, actor.clock);
  }
  // How soon after a receive, or a call like one, a rank begins something, by what it has computed
  // since (Level::crowd).
  double crowd(std::int32_t rank, const Level& level) {
    return given_.disturbed() ? level.crowd(disturbance_.busy_since_received_s(rank)) : 0.0;
  }
  // It is done with a call like one.
  void met(std::int32_t rank, double time_s) {
    if (given_.disturbed()) disturbance_.met(rank, time_s);
  }
  const Matching& matching() const { return matching_; }
  const Paths& paths() const { return paths_; }

 private:
  bool colder(const Actor& actor, std::int32_t other) const {
    return given_.disturbed() && !actor.helper && other != actor.rank;
  }
  // By rendezvous, or attended.
  void send_announced(const Actor& actor, const Key& key, const Flight& started);
  // The posted receive that a message of this key to `rank` belongs to; takes it away. Not
  // somebody: there is none, and `found` is where the message is to stand.
  HAKARU_HOT Waiter take_receive(Actor& rank, const Key& key, Found& found, double& posted_s);
  Waiter take_probe(Actor& rank, Found& found);
  std::uint32_t launch_eager(const Actor& actor, std::int32_t to, std::uint64_t bytes,
                             double slot_s, const Path& way);
  bool receive_flight(Actor& owner, std::uint32_t index, double posted_s, Waiter waiter);
  void answer(std::uint32_t flight, double posted_s, Waiter receiver);
  Cause cause_of(const Flight& flight, bool of_receiver) const;
  std::uint32_t stretches(const Actor& actor) const {
    return actor.helper ? UINT32_MAX : given_.recorder()->stretches(actor.rank);
  }

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Disturbance<Timing>& disturbance_;
  Timing& timing_;
  const Paths paths_;
  Matching matching_;
  Pool<Flight> flights_;
};

template <class Timing>
bool Transport<Timing>::send(Actor& self, std::int32_t to, std::int32_t tag, std::uint32_t channel,
                             std::uint64_t bytes, Protocol protocol, Waiter waiter,
                             SegmentKind kind) {
  const Path way = given_.disturbed() ? path(self.rank, to) : way_out(self.rank, to);
  const SizeClass& costs = way.level->of(bytes);
  const bool eager = protocol == Protocol::eager ||
                     (protocol == Protocol::by_size && bytes <= way.level->eager_limit_bytes);
  const bool attended = eager && protocol == Protocol::by_size && given_.disturbed() &&
                        !Timing::ordered && to != self.rank && waiter.is_somebody() &&
                        bytes > way.level->attended_above_bytes;
  double cold_s = 0, later_s = 0, soon = 0, apart_s = INFINITY;
  std::optional<double> kept;  // for how long it keeps the processor, its way aside
  if (colder(self, to)) {
    apart_s = disturbance_.apart_s(self.rank, self.clock);
    soon = way.level->crowd(apart_s);
    const auto cold = disturbance_.send_after_work(self.rank, *way.level, bytes, to, tag);
    const bool receiver_moves =
        !Timing::ordered && !eager && waiter.kind() == Waiter::Kind::request;
    if (receiver_moves) cold_s = cold.data_s;
    if (eager && !attended) kept = way.level->kept_by_send_s(cold.worked_s, bytes);
    later_s = cold.call_s + (cold.data_s - cold_s);
    if (!kept) accounts_.spend(self, std::exchange(later_s, 0.0), kind);
  }
  double overhead_s = costs.send_overhead_s + costs.answering_after_s(apart_s, soon);
  if (given_.disturbed() && self.operation->persistent) overhead_s += costs.persistent_s;
  const double way_s = std::max(overhead_s, 0.0) + later_s;
  const double kept_s = kept.value_or(way_s);
  accounts_.spend(self, std::min(way_s, kept_s), kind);
  if (Timing::ordered && given_.costs.put_get)
    accounts_.spend(self, given_.costs.put_get->put_msg_post_time * static_cast<double>(bytes),
                    kind);
  accounts_.sent(self, bytes);
  double slot_s = self.clock + std::max(way_s - kept_s, 0.0);
  if (to != self.rank) {
    slot_s = std::max(slot_s, self.nic_free);
    self.nic_free = slot_s + costs.transmission_s(bytes) + costs.gap_s + cold_s;
    if (given_.disturbed() && !self.helper)
      disturbance_.sent(
          self.rank, soon, slot_s - costs.send_overhead_s,
          arrival(slot_s, slot_s + costs.transmission_s(bytes), way, costs, false, bytes));
  } else {
    copy(self, bytes, kind);
    slot_s = self.clock;
  }
  const Key key{self.rank, tag, channel};
  if (eager && !attended) {
    deliver_eager(self, to, key, bytes, slot_s, way, costs);
    accounts_.spend(self, std::max(kept_s - way_s, 0.0), kind);
    return true;
  }
  Flight flight;
  flight.rendezvous = !attended;
  flight.attended = attended;
  flight.slot_s = slot_s;
  flight.cold_s = cold_s;
  flight.bytes = bytes;
  flight.to = to;
  flight.sender = waiter;
  send_announced(self, key, flight);
  return false;
}

template <class Timing>
Waiter Transport<Timing>::take_receive(Actor& rank, const Key& key, Found& found,
                                       double& posted_s) {
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

// Somebody who probes for the found entry's key; takes the entry away.
template <class Timing>
Waiter Transport<Timing>::take_probe(Actor& rank, Found& found) {
  const Waiter prober = Waiter::from_bits(matching_[found.entry].node);
  matching_.remove(rank.inbox, found);
  found = {};
  return prober;
}

// Where links are shared, a message is under way from the turn at the NIC on.
template <class Timing>
std::uint32_t Transport<Timing>::launch_eager(const Actor& self, std::int32_t to,
                                              std::uint64_t bytes, double slot_s, const Path& way) {
  const std::uint32_t flight = flights_.take();
  Flight& one = flights_[flight] = Flight{};
  one.state = Flight::State::moving;
  one.ready_s = self.clock;
  one.slot_s = one.start_s = slot_s;
  one.bytes = bytes;
  one.from = self.rank;
  one.to = to;
  one.direct = way.level == &direct_level;
  if (given_.recorder() != nullptr) one.stretches = stretches(self);
  timing_.launch(flight, slot_s);
  return flight;
}

template <class Timing>
void Transport<Timing>::deliver_eager(const Actor& self, std::int32_t to, const Key& key,
                                      std::uint64_t bytes, double slot_s, const Path& way,
                                      const SizeClass& costs) {
  Actor& rank = ranks_.of(to);
  Found found;
  double posted_s = 0;
  const Waiter receiver = take_receive(rank, key, found, posted_s);
  const bool probed = found.entry != none && matching_[found.entry].kind() == EntryKind::probe;
  if constexpr (Timing::ordered) {
    const std::uint32_t flight = launch_eager(self, to, bytes, slot_s, way);
    if (probed) flights_[flight].prober = take_probe(rank, found);
    if (receiver.is_somebody())
      flights_[flight].receiver = receiver;
    else
      matching_.append(rank.inbox, key, EntryKind::flight, flight, 0);
  } else {
    const double transmission_s = costs.transmission_s(bytes);
    const double there_s =
        arrival(slot_s, slot_s + transmission_s, way, costs, self.rank == to, bytes);
    Cause cause{self.rank, self.clock, way.latency_s, transmission_s};
    if (given_.recorder() != nullptr) cause.stretches = stretches(self);
    if (probed) ranks_.complete(take_probe(rank, found), there_s, bytes, cause);
    if (receiver.is_somebody()) return ranks_.complete(receiver, there_s, bytes, cause);
    const std::uint32_t entry =
        matching_.append(rank.inbox, key, EntryKind::message, bytes, there_s);
    if (Recorder* recorder = given_.recorder()) Recorder::at(recorder->of_entry, entry) = cause;
  }
}

template <class Timing>
void Transport<Timing>::send_announced(const Actor& self, const Key& key, const Flight& started) {
  const std::uint32_t index = flights_.take();
  Flight& flight = flights_[index] = started;
  const std::int32_t to = flight.to;
  flight.ready_s = self.clock;
  flight.from = self.rank;
  if (given_.recorder() != nullptr) flight.stretches = stretches(self);
  Actor& rank = ranks_.of(to);
  Found found;
  double posted_s = 0;
  const Waiter receiver = take_receive(rank, key, found, posted_s);
  if (found.entry != none && matching_[found.entry].kind() == EntryKind::probe) {
    const double latency_s = path(self.rank, to).latency_s;
    ranks_.complete(take_probe(rank, found), self.clock + latency_s, flight.bytes,
                    {self.rank, self.clock, latency_s, 0});
  }
  if (receiver.is_somebody()) return answer(index, posted_s, receiver);
  matching_.append(rank.inbox, key, EntryKind::flight, index, 0);
}

// Both sides are ready: the transfer begins when the answer has come and the NIC's turn is there.
template <class Timing>
void Transport<Timing>::answer(std::uint32_t index, double posted_s, Waiter receiver) {
  Flight& flight = flights_[index];
  const Path way = path(flight.from, flight.to);
  flight.receiver = receiver;
  flight.posted_s = posted_s;
  flight.state = Flight::State::moving;
  flight.start_s = flight.slot_s;
  if (!flight.attended)
    flight.start_s =
        std::max(std::max(flight.ready_s + way.latency_s, posted_s) + way.latency_s, flight.slot_s);
  if constexpr (Timing::ordered) {
    timing_.launch(index, flight.start_s);
  } else {
    const SizeClass& costs = way.level->of(flight.bytes);
    const double drained_s = flight.start_s + costs.transmission_s(flight.bytes) + flight.cold_s;
    arrived(index, drained_s,
            arrival(flight.start_s, drained_s, way, costs, flight.from == flight.to, flight.bytes));
  }
}

// What the end of a transfer depended on: the sender's announcement, or the receive when it was
// posted later.
template <class Timing>
Cause Transport<Timing>::cause_of(const Flight& flight, bool of_receiver) const {
  const Path way = path(flight.from, flight.to);
  const double transmission_s =
      way.level->of(flight.bytes).transmission_s(flight.bytes) + flight.cold_s;
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
void Transport<Timing>::arrived(std::uint32_t index, double drained_s, double arrival_s) {
  Flight& flight = flights_[index];
  Cause of_receiver, of_sender;
  if (given_.recorder() != nullptr) {
    of_receiver = cause_of(flight, true);
    of_sender = cause_of(flight, false);
  }
  const Waiter sender = flight.sender;
  const Waiter receiver = flight.receiver;
  const Waiter prober = flight.prober;
  const std::uint64_t bytes = flight.bytes;
  const std::int32_t from = flight.from, to = flight.to;
  const double posted_s = flight.attended ? flight.posted_s : 0.0;
  if (flight.cold_s > 0) disturbance_.arrives_cold(to, arrival_s, flight.cold_s);
  if (receiver.is_somebody()) {
    flights_.give_back(index);
  } else {
    flight.state = Flight::State::arrived;
    flight.arrival_s = arrival_s;
    flight.prober = Waiter{};
  }
  if (sender.is_somebody()) {
    const SizeClass& costs = (from == to ? paths_.self() : paths_.level(from, to)).of(bytes);
    if (posted_s > arrival_s) of_sender = {to, posted_s, 0.0, 0.0};
    const double taken_s = std::max(arrival_s, posted_s) + costs.receive_overhead_s;
    const double done_s = std::max(drained_s, taken_s + costs.release_s);
    ranks_.complete_send(sender, done_s, drained_s, of_sender);
  }
  if (prober.is_somebody()) ranks_.complete(prober, arrival_s, bytes, of_receiver);
  if (receiver.is_somebody()) ranks_.complete(receiver, arrival_s, bytes, of_receiver);
}

template <class Timing>
bool Transport<Timing>::receive(Actor& owner, const Key& key, double posted_s, Waiter waiter) {
  Actor& rank = ranks_.of(owner.rank);
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
  if (entry.kind() != EntryKind::message)
    return receive_flight(owner, static_cast<std::uint32_t>(entry.node), posted_s, waiter);
  owner.result_s = entry.time_s;
  owner.result_bytes = entry.bytes;
  if (Recorder* recorder = given_.recorder()) {
    const Cause cause = recorder->of_entry[found.entry];
    Recorder::at(recorder->of_actor, owner.index) = cause;
  }
  return true;
}

template <class Timing>
bool Transport<Timing>::take(Actor& owner, const Key& key) {
  const Found found = matching_.find(owner.inbox, key);
  if (found.entry == none) return false;
  owner.result_s = matching_[found.entry].time_s;
  owner.result_bytes = matching_[found.entry].bytes;
  matching_.remove(owner.inbox, found);
  return true;
}

template <class Timing>
bool Transport<Timing>::receive_flight(Actor& owner, std::uint32_t index, double posted_s,
                                       Waiter waiter) {
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
  if (Recorder* recorder = given_.recorder())
    Recorder::at(recorder->of_actor, owner.index) = cause_of(flight, true);
  flights_.give_back(index);
  return true;
}

template <class Timing>
bool Transport<Timing>::probe(Actor& self, const Key& key) {
  Recorder* const recorder = given_.recorder();
  const Found found = matching_.find(self.inbox, key);
  if (found.entry != none && matching_[found.entry].kind() == EntryKind::message) {
    if (recorder != nullptr) {
      const Cause cause = recorder->of_entry[found.entry];
      Recorder::at(recorder->of_actor, self.index) = cause;
    }
    self.result_s = matching_[found.entry].time_s;
    return true;
  }
  if (found.entry == none || matching_[found.entry].kind() != EntryKind::flight) {
    matching_.append(self.inbox, key, EntryKind::probe, waiter_of(self).bits(), self.clock);
    return false;
  }
  Flight& flight = flights_[static_cast<std::uint32_t>(matching_[found.entry].node)];
  if (flight.state == Flight::State::moving) {
    flight.prober = waiter_of(self);
    return false;
  }
  const double latency_s = path(flight.from, flight.to).latency_s;
  if (recorder != nullptr)
    Recorder::at(recorder->of_actor, self.index) = {flight.from, flight.ready_s, latency_s, 0};
  self.result_s =
      flight.state == Flight::State::arrived ? flight.arrival_s : flight.ready_s + latency_s;
  return true;
}

template <class Timing>
void Transport<Timing>::finish_receive(Actor& self, std::int32_t from, double arrival_s,
                                       std::uint64_t bytes, SegmentKind kind) {
  if (given_.serialises() && !self.helper)
    arrival_s = disturbance_.serialised(self, from, arrival_s, bytes);
  if (given_.disturbed()) arrival_s = disturbance_.arrival(self, from, arrival_s, bytes);
  const double ready_s = self.clock;
  accounts_.wait_until(self, arrival_s);
  const Level& level = from == self.rank ? paths_.self() : paths_.level(from, self.rank);
  const SizeClass& costs = level.of(bytes);
  const bool alone = !given_.disturbed() || self.helper;
  const double overhead_s =
      alone ? costs.receive_overhead_s
            : disturbance_.receive_overhead_s(self, from, ready_s, arrival_s, level, bytes);
  accounts_.spend(self, overhead_s, kind);
  if (!alone) disturbance_.received(self.rank, from, self.clock, overhead_s);
}

}  // namespace hakaru::replay
