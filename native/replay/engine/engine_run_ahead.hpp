// The commonest operations of a plain run, one after the other with the rank's clock in a register:
// computing, and messages by the eager protocol between two ranks of a network of one level. They
// do what engine_operations.hpp says, without asking for what a plain run does not have.
#pragma once

#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

// A rank's state while it runs ahead.
struct Pace {
  double clock;
  double nic_free;
  Request* requests;  // the rank's own, by number
  std::uint64_t eager_limit_bytes;
};

enum class Then : std::uint8_t { go_on, loop, leave, block };

template <class Timing>
void Engine<Timing>::send_ahead(const Actor& self, Pace& pace, const Operation& operation,
                                std::int32_t to) {
  const std::uint64_t bytes = operation.bytes;
  const SizeClass& costs = uniform_->of(bytes);
  RankResult& account = accounts_[self.index];
  ++account.messages;
  account.bytes += bytes;
  account.overhead_s += costs.send_overhead_s;
  pace.clock += costs.send_overhead_s;
  const double slot_s = std::max(pace.clock, pace.nic_free);
  const double drained_s = slot_s + costs.transmission_s(bytes);
  pace.nic_free = drained_s + costs.gap_s;
  const Key key{self.rank, operation.tag, channel_of(operation.communicator, Traffic::message)};
  deliver_eager(self, to, key, bytes, slot_s, {uniform_, uniform_->latency_s}, costs);
}

template <class Timing>
void Engine<Timing>::finish_receive_ahead(const Actor& self, Pace& pace, const Operation& posted,
                                          double arrival_s, std::uint64_t bytes) {
  if (bytes > posted.bytes) truncated(self, posted, peer(self, posted), bytes);
  RankResult& account = accounts_[self.index];
  if (arrival_s > pace.clock) {
    account.waiting_s += arrival_s - pace.clock;
    pace.clock = arrival_s;
  }
  const double overhead_s = uniform_->of(bytes).receive_overhead_s;
  account.overhead_s += overhead_s;
  pace.clock += overhead_s;
}

template <class Timing>
Then Engine<Timing>::compute_ahead(const Actor& self, Pace& pace, const Operation& operation) {
  const double seconds = price_.seconds(operation, self.rank, pace.clock);
  accounts_[self.index].compute_s += seconds;
  pace.clock += seconds;
  return Then::go_on;
}

template <class Timing>
Then Engine<Timing>::start_send_ahead(const Actor& self, Pace& pace, const Operation& operation) {
  using State = Request::State;
  const std::int32_t to = peer(self, operation);
  State& state = pace.requests[operation.request].state;
  if (to == self.rank || operation.mode != schedule::Mode::standard ||
      operation.bytes > pace.eager_limit_bytes || state != State::free)
    return Then::leave;
  send_ahead(self, pace, operation, to);
  state = State::at_once;
  return Then::go_on;
}

template <class Timing>
Then Engine<Timing>::start_receive_ahead(Actor& self, const Pace& pace,
                                         const Operation& operation) {
  using State = Request::State;
  const std::int32_t from = peer(self, operation);
  Request& request = pace.requests[operation.request];
  if (from == self.rank || request.state != State::free) return Then::leave;
  const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
  request.operation = &operation;
  request.actor = self.index;
  request.kind = Request::Kind::receive;
  request.state = State::started;
  if (receive(self, key, pace.clock,
              {Waiter::Kind::request, requests_.index(self.index, operation.request)})) {
    request.time_s = self.result_s;
    request.bytes = self.result_bytes;
    request.state = State::done;
  }
  return Then::go_on;
}

template <class Timing>
Then Engine<Timing>::wait_ahead(const Actor& self, Pace& pace, const Operation& operation) {
  using State = Request::State;
  Request& request = pace.requests[operation.request];
  if (request.state == State::at_once) {
    request.state = State::free;
    return Then::go_on;
  }
  if (request.kind != Request::Kind::receive) return Then::leave;
  if (request.state == State::done) {
    request.state = State::free;
    finish_receive_ahead(self, pace, *request.operation, request.time_s, request.bytes);
    return Then::go_on;
  }
  if (request.state != State::started) return Then::leave;
  request.state = State::waited;
  return Then::block;
}

template <class Timing>
Then Engine<Timing>::blocking_send_ahead(const Actor& self, Pace& pace,
                                         const Operation& operation) {
  const std::int32_t to = peer(self, operation);
  if (to == self.rank || operation.mode != schedule::Mode::standard ||
      operation.bytes > pace.eager_limit_bytes)
    return Then::leave;
  send_ahead(self, pace, operation, to);
  return Then::go_on;
}

template <class Timing>
Then Engine<Timing>::blocking_receive_ahead(Actor& self, Pace& pace, const Operation& operation) {
  const std::int32_t from = peer(self, operation);
  const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
  if (from == self.rank) return Then::leave;
  if (!receive(self, key, pace.clock, waiter_of(self))) return Then::block;
  finish_receive_ahead(self, pace, operation, self.result_s, self.result_bytes);
  return Then::go_on;
}

template <class Timing>
Then Engine<Timing>::step_ahead(Actor& self, Pace& pace, const Operation& operation) {
  using schedule::Kind;
  switch (operation.kind) {
    case Kind::compute:
      return compute_ahead(self, pace, operation);
    case Kind::isend:
      return start_send_ahead(self, pace, operation);
    case Kind::ireceive:
      return start_receive_ahead(self, pace, operation);
    case Kind::wait:
      return wait_ahead(self, pace, operation);
    case Kind::send:
      return blocking_send_ahead(self, pace, operation);
    case Kind::receive:
      return blocking_receive_ahead(self, pace, operation);
    case Kind::loop_begin:
    case Kind::loop_end:
      return Then::loop;
    default:
      return Then::leave;
  }
}

// True: `actor` is at an operation of another kind, or at its end. False: it is blocked.
template <class Timing>
bool Engine<Timing>::run_ahead(Actor& self) {
  const std::uint32_t rank = self.index;
  const schedule::Stream& stream = schedule_.stream(self.rank);
  const Operation* const begin = stream.data();
  const Operation* const end = begin + stream.size();
  schedule::Cursor& cursor = cursors_[rank];
  double* const phase_s = phase_columns_ == 0 ? nullptr : &phase_s_[rank * phase_columns_];
  const Operation* at = begin + cursor.position();
  Pace pace{self.clock, self.nic_free, requests_.of_rank(rank), uniform_->eager_limit_bytes};
  double begin_s = pace.clock;
  Then then = Then::go_on;
  for (; at != end; ++at, begin_s = pace.clock) {
    then = step_ahead(self, pace, *at);
    if (then == Then::loop) {
      cursor.move_to(static_cast<std::uint32_t>(at - begin));
      cursor.pass(*at);
      at = begin + cursor.position() - 1;
      continue;
    }
    if (then != Then::go_on) break;
    if (phase_s != nullptr)
      phase_s[std::min<std::size_t>(at->phase, phase_columns_ - 1)] += pace.clock - begin_s;
  }
  self.clock = pace.clock;
  self.nic_free = pace.nic_free;
  if (at == end) {
    cursor.move_to(static_cast<std::uint32_t>(at - begin));
    return true;
  }
  cursor.move_to(static_cast<std::uint32_t>(at - begin) + 1);
  self.operation = at;
  if (phase_s != nullptr) self.operation_begin = begin_s;
  if (then == Then::leave) return true;
  self.stage = Stage::waits;
  self.waiting = Waiting::blocked;
  return false;
}

}  // namespace hakaru::replay
