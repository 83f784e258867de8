// The program's own messages: blocking calls, requests and their waits, probes.
#pragma once

#include "native/replay/engine/threads.hpp"
#include "native/replay/engine/transport.hpp"

namespace hakaru::replay {

inline Protocol protocol_of(const schedule::Operation& operation) {
  if (operation.mode == schedule::Mode::synchronous) return Protocol::rendezvous;
  return operation.mode == schedule::Mode::ready ? Protocol::eager : Protocol::by_size;
}

// Every call: false when the actor is blocked in it; it goes on in the same call.
template <class Timing>
class PointToPoint {
 public:
  PointToPoint(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
               Disturbance<Timing>& disturbance, Transport<Timing>& transport,
               OpenRequests<Timing>& open, Threads<Timing>& threads)
      : given_(given),
        ranks_(ranks),
        accounts_(accounts),
        disturbance_(disturbance),
        transport_(transport),
        open_(open),
        threads_(threads) {}

  bool send(Actor& actor);
  bool receive(Actor& actor);
  bool start_send(Actor& actor);
  bool start_receive(Actor& actor);
  bool probe(Actor& actor);
  bool wait(Actor& actor);

 private:
  using Operation = schedule::Operation;

  std::int32_t peer(const Actor& actor, const Operation& operation) const {
    return schedule::peer_of(operation, actor.rank, given_.schedule.ranks);
  }
  // Of data with gaps between their pieces, before they leave or after they have come.
  void pack(Actor& actor, std::int32_t other, std::uint64_t bytes, const Operation& message) {
    if (!has_gaps(message) || other == actor.rank) return;
    const double seconds =
        transport_.path(actor.rank, other).level->packing_s(bytes, message.payload);
    if (seconds > 0) accounts_.spend(actor, seconds, SegmentKind::overhead);
  }
  // What was measured of exchanges and windows has of it.
  double posting_inside_s(const Actor& actor, const Operation& receive) const {
    const std::int32_t from = peer(actor, receive);
    return from == actor.rank ? 0.0
                              : transport_.level(from, actor.rank).of(receive.bytes).posting_s;
  }
  void finish_request(Actor& actor, std::uint32_t record);
  void finish_received(Actor& actor, const Request& request, std::uint32_t record);
  // The NIC begins the next message after the gap, whenever the sender itself may go on.
  void keep_gap(Actor& actor, std::int32_t to, double left_s, std::uint64_t bytes) {
    if (to == actor.rank) return;
    actor.nic_free =
        std::max(actor.nic_free, left_s + transport_.level(actor.rank, to).of(bytes).gap_s);
  }

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Disturbance<Timing>& disturbance_;
  Transport<Timing>& transport_;
  OpenRequests<Timing>& open_;
  Threads<Timing>& threads_;
};

template <class Timing>
bool PointToPoint<Timing>::send(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t to = peer(self, *self.operation);
  if (self.stage == Stage::begins) {
    const bool held = operation.mode != schedule::Mode::buffered;
    pack(self, to, operation.bytes, operation);
    self.waiting = Waiting::expecting;
    const bool done = transport_.send(self, to, operation.tag,
                                      channel_of(operation.communicator, Traffic::message),
                                      operation.bytes, protocol_of(operation),
                                      held ? waiter_of(self) : Waiter{}, SegmentKind::overhead);
    if (done || !held) {
      self.waiting = Waiting::nothing;
      return true;
    }
    self.stage = Stage::waits;
    if (self.waiting == Waiting::expecting) {
      self.waiting = Waiting::blocked;
      return false;
    }
  }
  if (given_.disturbed() && to != self.rank &&
      operation.bytes <= transport_.level(self.rank, to).eager_limit_bytes)
    disturbance_.held(self.rank, self.operation, self.clock, self.result_s);
  accounts_.wait_until(self, self.result_s);
  keep_gap(self, to, self.left_s, operation.bytes);
  return true;
}

template <class Timing>
bool PointToPoint<Timing>::receive(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t from = peer(self, *self.operation);
  if (self.stage == Stage::begins) {
    const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
    self.stage = Stage::waits;
    if (!transport_.receive(self, key, self.clock, waiter_of(self))) {
      self.waiting = Waiting::blocked;
      return false;
    }
  }
  if (self.result_bytes > operation.bytes)
    truncated(given_.schedule, self, operation, from, self.result_bytes);
  transport_.finish_receive(self, from, self.result_s, self.result_bytes, SegmentKind::overhead);
  pack(self, from, self.result_bytes, operation);
  return true;
}

template <class Timing>
bool PointToPoint<Timing>::start_send(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t to = peer(self, *self.operation);
  const std::uint32_t channel = channel_of(operation.communicator, Traffic::message);
  pack(self, to, operation.bytes, operation);
  const std::uint32_t record = open_.start(self, Request::Kind::send);
  const bool buffered = operation.mode == schedule::Mode::buffered;
  const bool gone = transport_.send(
      self, to, operation.tag, channel, operation.bytes, protocol_of(operation),
      buffered ? Waiter{} : Waiter{Waiter::Kind::request, record}, SegmentKind::overhead);
  if (gone || buffered) ranks_.requests()[record].state = Request::State::at_once;
  return true;
}

template <class Timing>
bool PointToPoint<Timing>::start_receive(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t from = peer(self, *self.operation);
  const bool own = from == self.rank;
  const std::uint32_t record =
      open_.start(self, own ? Request::Kind::own_receive : Request::Kind::receive);
  const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
  ranks_.prefetch_partner(from);
  if (given_.disturbed()) disturbance_.begins(self.rank);
  if (given_.disturbed() && !own)
    accounts_.spend(
        self, disturbance_.posting_s(self.rank, transport_.level(from, self.rank), operation.bytes),
        SegmentKind::overhead);
  if (transport_.receive(self, key, self.clock, {Waiter::Kind::request, record})) {
    Request& request = ranks_.requests()[record];
    request.time_s = self.result_s;
    request.bytes = self.result_bytes;
    request.state = Request::State::done;
    if (Recorder* recorder = given_.recorder()) {
      const Cause cause = recorder->of_actor[self.index];
      Recorder::at(recorder->of_request, record) = cause;
    }
  }
  return true;
}

template <class Timing>
bool PointToPoint<Timing>::probe(Actor& self) {
  const Key key{peer(self, *self.operation), self.operation->tag,
                channel_of(self.operation->communicator, Traffic::message)};
  if (self.stage == Stage::begins && !transport_.probe(self, key)) {
    self.stage = Stage::waits;
    self.waiting = Waiting::blocked;
    return false;
  }
  accounts_.wait_until(self, self.result_s);
  return true;
}

template <class Timing>
bool PointToPoint<Timing>::wait(Actor& self) {
  using State = Request::State;
  const std::uint32_t index =
      ranks_.requests().index(static_cast<std::size_t>(self.rank), self.operation->request);
  if (self.stage == Stage::waits) {
    finish_request(self, index);
    return true;
  }
  State& state = ranks_.requests()[index].state;
  if (state == State::at_once) {
    state = State::free;
    return true;
  }
  if (state == State::done) {
    finish_request(self, index);
    return true;
  }
  if (open_.may_start_later(ranks_.requests()[index])) {
    open_.await_start(self, index);
    return false;
  }
  if (state != State::started)
    misused(given_.schedule, self, "waits for a request", "nothing was started with it");
  state = State::waited;
  ranks_.requests()[index].actor = self.index;
  self.stage = Stage::waits;
  self.waiting = Waiting::blocked;
  return false;
}

template <class Timing>
void PointToPoint<Timing>::finish_request(Actor& self, std::uint32_t record) {
  Request& request = ranks_.requests()[record];
  request.state = Request::State::free;
  switch (request.kind) {
    case Request::Kind::thread:
      return threads_.join(self, request);
    case Request::Kind::receive:
    case Request::Kind::own_receive:
      return finish_received(self, request, record);
    case Request::Kind::send:
      accounts_.wait_until(self, request.time_s, &Recorder::of_request, record);
      return keep_gap(self, peer(self, *request.operation), request.left_s,
                      request.operation->bytes);
    case Request::Kind::collective:
    case Request::Kind::access:
      return accounts_.wait_until(self, request.time_s, &Recorder::of_request, record);
  }
}

template <class Timing>
void PointToPoint<Timing>::finish_received(Actor& self, const Request& request,
                                           std::uint32_t record) {
  const std::int32_t from = peer(self, *request.operation);
  const std::uint64_t bytes = request.bytes;
  double time_s = request.time_s;
  if (bytes > request.operation->bytes)
    truncated(given_.schedule, self, *request.operation, from, bytes);
  const double posted_s = given_.disturbed() ? posting_inside_s(self, *request.operation) : 0.0;
  if (given_.disturbed()) time_s = disturbance_.arrival(self, from, time_s, bytes, posted_s);
  if (given_.serialises()) time_s = disturbance_.serialised(self, from, time_s, bytes);
  const Level& level = *transport_.path(from, self.rank).level;
  double overhead_s = level.of(bytes).receive_overhead_s;
  if (given_.disturbed())
    if (const auto begin_s = disturbance_.received_in_send(self.rank, request.operation, time_s))
      time_s = *begin_s + std::exchange(overhead_s, 0.0);
  const double ready_s = self.clock;
  accounts_.wait_until(self, time_s, &Recorder::of_request, record);
  if (given_.disturbed() && overhead_s > 0)
    overhead_s =
        disturbance_.receive_overhead_s(self, from, ready_s, time_s, level, bytes, posted_s);
  if (given_.disturbed() && from != self.rank && !self.helper)
    overhead_s += disturbance_.wait_after_work(self.rank, level);
  accounts_.spend(self, overhead_s, SegmentKind::overhead);
  if (given_.disturbed()) disturbance_.received(self.rank, from, self.clock, overhead_s);
  pack(self, from, bytes, *request.operation);
}

}  // namespace hakaru::replay
