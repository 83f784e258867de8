// PUT and GET as put_get.hpp says, in the time-ordered engine.
#pragma once

#include "native/replay/engine/accesses.hpp"
#include "native/replay/engine/flags.hpp"
#include "native/replay/engine/open_requests.hpp"
#include "native/replay/engine/transport.hpp"

namespace hakaru::replay {

template <class Timing>
class Transfers {
 public:
  Transfers(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
            Transport<Timing>& transport, OpenRequests<Timing>& open, Accesses<Timing>& accesses,
            Flags<Timing>& flags, Interrupts<Timing>& interrupts,
            std::vector<Controller>& controllers, Timing& timing);

  // A put or a get; false when the actor is blocked in it.
  bool call(Actor& actor);
  // What happens next to the flight; never Happening::resume or launch.
  void happen(Happening what, std::uint32_t flight, double now_s);

 private:
  std::int32_t peer(const Actor& actor) const {
    return schedule::peer_of(*actor.operation, actor.rank, given_.schedule.ranks);
  }
  Controller& controller(std::int32_t rank) { return controllers_[static_cast<std::size_t>(rank)]; }
  std::uint32_t pieces_of(const schedule::Operation& operation) const;
  Flight asked_by(const Actor& actor) const;
  void pay(Actor& actor, const Flight& flight);
  double take_turn(Actor& actor, const Flight& flight);
  double command(Actor& actor, double begin_s, double set_up_s);
  void depart(std::uint32_t flight, double now_s);
  void left(const Flight& flight, double now_s);
  void serve(std::uint32_t flight, double now_s);
  double received(const Flight& flight, double now_s);
  void landed(std::uint32_t flight, double now_s);
  void finish(std::uint32_t flight, double remote_s);

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Transport<Timing>& transport_;
  OpenRequests<Timing>& open_;
  Accesses<Timing>& accesses_;
  Flags<Timing>& flags_;
  Interrupts<Timing>& interrupts_;
  std::vector<Controller>& controllers_;
  Timing& timing_;
  bool acknowledges_;  // somebody waits for what was put
};

template <class Timing>
Transfers<Timing>::Transfers(const Given<Timing>& given, Ranks<Timing>& ranks,
                             Accounts<Timing>& accounts, Transport<Timing>& transport,
                             OpenRequests<Timing>& open, Accesses<Timing>& accesses,
                             Flags<Timing>& flags, Interrupts<Timing>& interrupts,
                             std::vector<Controller>& controllers, Timing& timing)
    : given_(given),
      ranks_(ranks),
      accounts_(accounts),
      transport_(transport),
      open_(open),
      accesses_(accesses),
      flags_(flags),
      interrupts_(interrupts),
      controllers_(controllers),
      timing_(timing),
      acknowledges_(given.uses(schedule::Kind::flush) || given.uses(schedule::Kind::unlock) ||
                    given.uses(schedule::Kind::fence) || given.uses(schedule::Kind::complete)) {}

template <class Timing>
std::uint32_t Transfers<Timing>::pieces_of(const schedule::Operation& operation) const {
  if (given_.options.strides || operation.payload == schedule::no_payload) return 1;
  const auto list = static_cast<std::size_t>(operation.payload);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, given_.schedule.lists[list][1]));
}

template <class Timing>
Flight Transfers<Timing>::asked_by(const Actor& self) const {
  const schedule::Operation& operation = *self.operation;
  const bool put = operation.kind != schedule::Kind::get;
  Flight flight;
  flight.what = put ? Flight::What::put : Flight::What::get;
  flight.bytes = operation.bytes;
  flight.from = put ? self.rank : peer(self);
  flight.to = put ? peer(self) : self.rank;
  flight.flag = operation.tag;
  flight.sent_flag = flags_.sent_by(operation);
  flight.pieces = pieces_of(operation);
  return flight;
}

// The CPU's part before the command is given.
template <class Timing>
void Transfers<Timing>::pay(Actor& self, const Flight& flight) {
  const PutGet& costs = *given_.costs.put_get;
  const double pieces = flight.pieces;
  const auto bytes = static_cast<double>(flight.what == Flight::What::put ? flight.bytes : 0);
  accounts_.spend(self, pieces * (costs.put_prolog_time + costs.put_enqueue_time),
                  SegmentKind::overhead);
  if (!costs.hardware)
    accounts_.spend(self, pieces * costs.put_dma_set_time + costs.put_msg_post_time * bytes,
                    SegmentKind::overhead);
}

// When the command's data, or a get's request, may leave. A request waits for the rank's own
// commands and for the message that is leaving, but not for data that are to leave after it.
template <class Timing>
double Transfers<Timing>::take_turn(Actor& self, const Flight& flight) {
  const PutGet& costs = *given_.costs.put_get;
  const bool put = flight.what == Flight::What::put;
  const auto bytes = static_cast<double>(put ? flight.bytes : 0);
  const double pieces = flight.pieces;
  Controller& own = controller(self.rank);
  const double busy_s = put ? self.nic_free : std::max(own.commands_s, own.leaving_s);
  const double slot_s = command(self, std::max(self.clock, busy_s),
                                pieces * (costs.hardware ? costs.put_dma_set_time : 0.0));
  own.commands_s = slot_s + costs.put_msg_time * bytes;
  if (put) self.nic_free = own.commands_s;
  accounts_.spend(self, pieces * costs.put_epilog_time, SegmentKind::overhead);
  return slot_s;
}

template <class Timing>
bool Transfers<Timing>::call(Actor& self) {
  if (self.stage == Stage::begins &&
      !interrupts_.run_time_system(self, given_.options.run_time_system.transfer_s))
    return false;
  const schedule::Operation& operation = *self.operation;
  if (operation.kind == schedule::Kind::accumulate)
    misused(given_.schedule, self, "accumulates", "a network with put_get only puts and gets");
  Flight flight = asked_by(self);
  pay(self, flight);
  flight.ready_s = self.clock;
  const double slot_s = take_turn(self, flight);
  accounts_.sent(self, operation.bytes, flight.pieces);
  flight.access = accesses_.begin(accesses_.open(self, peer(self)));
  if (operation.request >= 0)
    flight.sender = {Waiter::Kind::request, open_.start(self, Request::Kind::access)};
  const std::uint32_t index = transport_.flights().take();
  transport_.flights()[index] = flight;
  if constexpr (Timing::ordered) {
    if (flight.what == Flight::What::put)
      timing_.at(slot_s, Happening::depart, index);
    else
      timing_.at(slot_s + transport_.path(flight.to, flight.from).latency_s, Happening::asked,
                 index);
  }
  return true;
}

// When the controller has set up what the rank's command asks for: commands wait for the transfers
// before them, in a queue that may overflow.
template <class Timing>
double Transfers<Timing>::command(Actor& self, double begin_s, double set_up_s) {
  const CommandQueue& queue = given_.options.queue;
  if (queue.words == 0) return begin_s + set_up_s;
  Controller& own = controller(self.rank);
  std::deque<double>& waiting = own.leaves_s;
  while (!waiting.empty() && waiting.front() <= self.clock) waiting.pop_front();
  const auto room = static_cast<std::size_t>(queue.words / queue.words_per_command);
  const std::size_t free = room > waiting.size() ? room - waiting.size() : 0;
  const bool at_once = begin_s <= self.clock;  // the first command does not stay in the queue
  const std::size_t held = pieces_of(*self.operation) - (at_once ? 1 : 0);
  const std::size_t spilled = held > free ? held - free : 0;
  own.spilled += spilled;
  const double taken_s = begin_s + queue.spill_time * static_cast<double>(spilled);
  for (std::size_t i = spilled; i < held; ++i) waiting.push_back(taken_s);
  return taken_s + set_up_s;
}

template <class Timing>
void Transfers<Timing>::happen(Happening what, std::uint32_t index, double now_s) {
  const Flight& flight = transport_.flights()[index];
  switch (what) {
    case Happening::depart:
      return depart(index, now_s);
    case Happening::left:
      return left(flight, now_s);
    case Happening::asked:
      return serve(index, now_s);
    case Happening::landed:
      return landed(index, now_s);
    case Happening::acknowledged:
      return finish(index,
                    interrupts_.serve(flight.from, now_s, given_.costs.put_get->acknowledge_time));
    case Happening::launch:
    case Happening::resume:
      return;
  }
}

template <class Timing>
void Transfers<Timing>::depart(std::uint32_t index, double now_s) {
  if constexpr (Timing::ordered) {
    Flight& flight = transport_.flights()[index];
    const double drained_s = timing_.drained_s(flight, now_s);
    Actor& from = ranks_.of(flight.from);
    from.nic_free = std::max(from.nic_free, drained_s);
    flight.start_s = now_s;
    controller(flight.from).leaving_s = drained_s;
    if (flight.what == Flight::What::put) {
      Access& one = accesses_[flight.access.index()];
      one.local_s = std::max(one.local_s, drained_s);
    }
    if (flight.sent_flag > 0 || flight.sender.is_somebody())
      timing_.at(drained_s, Happening::left, index);
    timing_.at(drained_s + transport_.path(flight.from, flight.to).latency_s, Happening::landed,
               index);
  }
}

// The last byte has left.
template <class Timing>
void Transfers<Timing>::left(const Flight& flight, double now_s) {
  const PutGet& costs = *given_.costs.put_get;
  const Cause cause{flight.what == Flight::What::put ? flight.from : flight.to, flight.ready_s, 0,
                    now_s - flight.start_s};
  double known_s = now_s;
  if (flight.sent_flag > 0 && !costs.hardware)
    known_s = interrupts_.serve(flight.from, now_s, costs.intr_rtc_send_time);
  flags_.raise(flight.from, flight.sent_flag, known_s, cause);
  if (flight.what == Flight::What::put && flight.sender.is_somebody())
    ranks_.complete(flight.sender, known_s, flight.bytes, cause);
}

// The request of a get has come: the target's controller, or its CPU, sends the data.
template <class Timing>
void Transfers<Timing>::serve(std::uint32_t index, double now_s) {
  const PutGet& costs = *given_.costs.put_get;
  const Flight& flight = transport_.flights()[index];
  const double pieces = flight.pieces;
  const double bytes_s = static_cast<double>(flight.bytes);
  Actor& target = ranks_.of(flight.from);
  double set_s;
  if (costs.hardware) {
    set_s = std::max(now_s, target.nic_free) + pieces * costs.put_dma_set_time;
  } else {
    const double price_s =
        pieces * (costs.intr_rtc_time + costs.put_dma_set_time) + costs.put_msg_post_time * bytes_s;
    set_s = std::max(interrupts_.serve(flight.from, now_s, price_s), target.nic_free);
  }
  target.nic_free = set_s + costs.put_msg_time * bytes_s;
  if constexpr (Timing::ordered) timing_.at(set_s, Happening::depart, index);
}

// What the receiving end's controller or CPU does with the data; when it is done.
template <class Timing>
double Transfers<Timing>::received(const Flight& flight, double now_s) {
  const PutGet& costs = *given_.costs.put_get;
  if (costs.hardware) return now_s + costs.recv_dma_set_time;
  const auto bytes = static_cast<double>(flight.bytes);
  const double pieces = flight.pieces;
  const double flag_s = flight.flag > 0 ? costs.intr_rtc_rcv_time : 0.0;
  return interrupts_.serve(flight.to, now_s,
                           pieces * (costs.intr_rtc_time + costs.recv_dma_set_time) +
                               costs.recv_msg_flush_time * bytes + flag_s);
}

// The last byte has arrived.
template <class Timing>
void Transfers<Timing>::landed(std::uint32_t index, double now_s) {
  const PutGet& costs = *given_.costs.put_get;
  const Flight& flight = transport_.flights()[index];
  const bool put = flight.what == Flight::What::put;
  const double done_s = received(flight, now_s);
  const double latency_s = transport_.path(flight.from, flight.to).latency_s;
  const double moving_s = costs.put_msg_time * static_cast<double>(flight.bytes);
  const std::int32_t origin = put ? flight.from : flight.to;
  const Cause cause{origin, flight.ready_s, (put ? 1 : 2) * latency_s, moving_s};
  flags_.raise(flight.to, flight.flag, done_s, cause);
  if (Recorder* recorder = given_.recorder())
    Recorder::at(recorder->of_access, flight.access.index()) = {origin, flight.ready_s,
                                                                2 * latency_s, moving_s};
  if (!put) {
    Access& one = accesses_[flight.access.index()];
    one.local_s = std::max(one.local_s, done_s);
    if (flight.sender.is_somebody()) ranks_.complete(flight.sender, done_s, flight.bytes, cause);
  }
  if constexpr (Timing::ordered)
    if (put && acknowledges_ && !costs.hardware && costs.acknowledge_time > 0)
      return timing_.at(done_s + latency_s, Happening::acknowledged, index);
  finish(index, put ? done_s + latency_s : done_s);
}

template <class Timing>
void Transfers<Timing>::finish(std::uint32_t index, double remote_s) {
  const std::uint32_t access = transport_.flights()[index].access.index();
  accesses_[access].remote_s = std::max(accesses_[access].remote_s, remote_s);
  accesses_.end(access);
  transport_.flights().give_back(index);
}

}  // namespace hakaru::replay
