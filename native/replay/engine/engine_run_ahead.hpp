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
};

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
void Engine<Timing>::receive_ahead(const Actor& self, Pace& pace, const Operation& posted,
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

// True: `actor` is at an operation of another kind, or at its end. False: it is blocked.
template <class Timing>
bool Engine<Timing>::run_ahead(Actor& self) {
  using schedule::Kind;
  using State = Request::State;
  enum class Then { go_on, leave, block };
  const std::uint32_t rank = self.index;
  const schedule::Stream& stream = schedule_.stream(self.rank);
  const Operation* const begin = stream.data();
  const Operation* const end = begin + stream.size();
  schedule::Cursor& cursor = cursors_[rank];
  Request* const requests = requests_.of_rank(rank);
  double* const phase_s = phase_columns_ == 0 ? nullptr : &phase_s_[rank * phase_columns_];
  const std::uint64_t eager_limit_bytes = uniform_->eager_limit_bytes;
  const Operation* at = begin + cursor.position();
  Pace pace{self.clock, self.nic_free};
  double begin_s = pace.clock;
  Then then = Then::go_on;
  for (; at != end; ++at, begin_s = pace.clock) {
    const Operation& operation = *at;
    switch (operation.kind) {
      case Kind::compute: {
        const double seconds = price_.seconds(operation, self.rank, pace.clock);
        accounts_[rank].compute_s += seconds;
        pace.clock += seconds;
        break;
      }
      case Kind::isend: {
        const std::int32_t to = peer(self, operation);
        State& state = requests[operation.request].state;
        if (to == self.rank || operation.mode != schedule::Mode::standard ||
            operation.bytes > eager_limit_bytes || state != State::free) {
          then = Then::leave;
          break;
        }
        send_ahead(self, pace, operation, to);
        state = State::at_once;
        break;
      }
      case Kind::ireceive: {
        const std::int32_t from = peer(self, operation);
        Request& request = requests[operation.request];
        if (from == self.rank || request.state != State::free) {
          then = Then::leave;
          break;
        }
        const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
        request.operation = at;
        request.actor = rank;
        request.kind = Request::Kind::receive;
        request.state = State::started;
        if (receive(self, key, pace.clock,
                    {Waiter::Kind::request, requests_.index(rank, operation.request)})) {
          request.time_s = self.result_s;
          request.bytes = self.result_bytes;
          request.state = State::done;
        }
        break;
      }
      case Kind::wait: {
        Request& request = requests[operation.request];
        if (request.state == State::at_once) {
          request.state = State::free;
        } else if (request.kind != Request::Kind::receive) {
          then = Then::leave;
        } else if (request.state == State::done) {
          request.state = State::free;
          receive_ahead(self, pace, *request.operation, request.time_s, request.bytes);
        } else if (request.state == State::started) {
          request.state = State::waited;
          self.step = requests_.index(rank, operation.request);
          then = Then::block;
        } else {
          then = Then::leave;
        }
        break;
      }
      case Kind::send: {
        const std::int32_t to = peer(self, operation);
        if (to == self.rank || operation.mode != schedule::Mode::standard ||
            operation.bytes > eager_limit_bytes) {
          then = Then::leave;
          break;
        }
        send_ahead(self, pace, operation, to);
        break;
      }
      case Kind::receive: {
        const std::int32_t from = peer(self, operation);
        const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
        if (from == self.rank)
          then = Then::leave;
        else if (receive(self, key, pace.clock, waiter_of(self)))
          receive_ahead(self, pace, operation, self.result_s, self.result_bytes);
        else
          then = Then::block;
        break;
      }
      case Kind::loop_begin:
      case Kind::loop_end:
        cursor.move_to(static_cast<std::uint32_t>(at - begin));
        cursor.pass(operation);
        at = begin + cursor.position() - 1;
        continue;
      default:
        then = Then::leave;
    }
    if (then != Then::go_on) break;
    if (phase_s != nullptr)
      phase_s[std::min<std::size_t>(operation.phase, phase_columns_ - 1)] += pace.clock - begin_s;
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
  self.stage = 1;
  self.waiting = Waiting::blocked;
  return false;
}

}  // namespace hakaru::replay
