// The commonest operations of a plain run, one after the other with the rank's clock in a register:
// computing, and messages by the eager protocol between two ranks. They do what point_to_point.hpp
// says, without asking for what a plain run does not have.
#pragma once

#include "native/replay/engine/call_text.hpp"
#include "native/replay/engine/compute_price.hpp"
#include "native/replay/engine/pairs.hpp"
#include "native/replay/engine/phases.hpp"
#include "native/replay/engine/transport.hpp"

namespace hakaru::replay {

template <class Timing>
class RunAhead {
 public:
  RunAhead(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
           Transport<Timing>& transport, ComputePrice& price, Phases& phases)
      : schedule_(given.schedule),
        applies_(Timing::plain && !given.uses(schedule::Kind::fork)),
        ranks_(ranks),
        accounts_(accounts),
        transport_(transport),
        price_(price),
        phases_(phases) {
    if (applies_ && !Timing::ordered) pairs_ = Pairs(schedule_, transport_.paths());
    if (pairs_.any()) ranks_.requests().expect_early();
  }

  bool applies() const { return applies_; }
  // True: the actor, a rank, is at an operation of another kind, or at its end. False: it is
  // blocked.
  bool run(Actor& actor);

 private:
  using Operation = schedule::Operation;
  // A rank's state while it runs ahead.
  struct Pace {
    double clock;
    double nic_free;
    Request* requests;  // the rank's own, by number
    const Operation* begin;
    const std::int32_t* pairs;  // of each operation, nullptr: none has one

    std::int32_t pair(const Operation& operation) const {
      return pairs == nullptr ? Pairs::unpaired : pairs[&operation - begin];
    }
  };
  enum class Then : std::uint8_t { go_on, loop, leave, block };

  bool was_blocked_here(const Actor& actor);
  HAKARU_HOT void finish_blocked(Actor& actor, Pace& pace);
  HAKARU_HOT Then step(Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then compute(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then start_send(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then start_receive(Actor& actor, const Pace& pace, const Operation& operation);
  HAKARU_HOT bool deliver(const Actor& actor, const Pace& pace, const Operation& operation,
                          std::uint32_t index, double there_s);
  HAKARU_HOT bool take_early(Actor& actor, const Key& key, std::uint32_t index, Request& request);
  HAKARU_HOT Then wait(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then blocking_send(const Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then blocking_receive(Actor& actor, Pace& pace, const Operation& operation);
  HAKARU_HOT Then send(const Actor& actor, Pace& pace, const Operation& operation, std::int32_t to);
  HAKARU_HOT void finish_receive(const Actor& actor, Pace& pace, const Operation& posted,
                                 double arrival_s, std::uint64_t bytes);
  HAKARU_HOT std::int32_t peer(const Actor& actor, const Operation& operation) const {
    return schedule::peer_of(operation, actor.rank, schedule_.ranks);
  }

  const schedule::Schedule& schedule_;
  const bool applies_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Transport<Timing>& transport_;
  ComputePrice& price_;
  Phases& phases_;
  Pairs pairs_;
};

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::send(const Actor& self, Pace& pace,
                                                       const Operation& operation,
                                                       std::int32_t to) {
  const std::uint64_t bytes = operation.bytes;
  if (to == self.rank || operation.mode != schedule::Mode::standard || has_gaps(operation))
    return Then::leave;
  const Path way = transport_.way_out(self.rank, to);
  if (bytes > way.level->eager_limit_bytes) return Then::leave;
  const SizeClass& costs = way.level->of(bytes);
  RankResult& account = accounts_.of(self.rank);
  ++account.messages;
  account.bytes += bytes;
  account.overhead_s += costs.send_overhead_s;
  pace.clock += costs.send_overhead_s;
  const double slot_s = std::max(pace.clock, pace.nic_free);
  const double drained_s = slot_s + costs.transmission_s(bytes);
  pace.nic_free = drained_s + costs.gap_s;
  const std::int32_t number = pace.pair(operation);
  if (number != Pairs::unpaired &&
      deliver(self, pace, operation, ranks_.requests().index(static_cast<std::size_t>(to), number),
              arrival(slot_s, drained_s, way, costs, false, bytes)))
    return Then::go_on;
  const Key key{self.rank, operation.tag, channel_of(operation.communicator, Traffic::message)};
  transport_.deliver_eager(self, to, key, bytes, slot_s, way, costs);
  return Then::go_on;
}

// Into the receiver's request, or beside it. False: a message is there already that came early, and
// this one goes to the inbox.
template <class Timing>
bool RunAhead<Timing>::deliver(const Actor& self, const Pace& pace, const Operation& operation,
                               std::uint32_t index, double there_s) {
  using State = Request::State;
  Request& theirs = ranks_.requests()[index];
  if (theirs.state == State::started || theirs.state == State::waited) {
    ranks_.complete({Waiter::Kind::request, index}, there_s, operation.bytes, {});
    return true;
  }
  if (theirs.ahead != Request::Ahead::none) {
    theirs.ahead = Request::Ahead::more;
    return false;
  }
  theirs.ahead = Request::Ahead::one;
  ranks_.requests().early(index) = {there_s, self.rank,
                                    static_cast<std::uint32_t>(&operation - pace.begin)};
  return true;
}

// Of a paired receive that is posted: whether its message was there, and is now in the request.
template <class Timing>
bool RunAhead<Timing>::take_early(Actor& self, const Key& key, std::uint32_t index,
                                  Request& request) {
  using Ahead = Request::Ahead;
  if (request.ahead == Ahead::none) return false;
  Early& early = ranks_.requests().early(index);
  request.time_s = early.arrival_s;
  request.bytes = schedule_.stream(early.from)[early.operation].bytes;
  if (request.ahead == Ahead::more && transport_.take(self, key))
    early.arrival_s = self.result_s;
  else
    request.ahead = Ahead::none;
  return true;
}

template <class Timing>
void RunAhead<Timing>::finish_receive(const Actor& self, Pace& pace, const Operation& posted,
                                      double arrival_s, std::uint64_t bytes) {
  const std::int32_t from = peer(self, posted);
  if (bytes > posted.bytes) truncated(schedule_, self, posted, from, bytes);
  RankResult& account = accounts_.of(self.rank);
  if (arrival_s > pace.clock) {
    account.waiting_s += arrival_s - pace.clock;
    pace.clock = arrival_s;
  }
  const double overhead_s = transport_.level(from, self.rank).of(bytes).receive_overhead_s;
  account.overhead_s += overhead_s;
  pace.clock += overhead_s;
}

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::compute(const Actor& self, Pace& pace,
                                                          const Operation& operation) {
  const double seconds = price_.seconds(operation, self.rank, pace.clock);
  accounts_.of(self.rank).compute_s += seconds;
  pace.clock += seconds;
  return Then::go_on;
}

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::start_send(const Actor& self, Pace& pace,
                                                             const Operation& operation) {
  using State = Request::State;
  State& state = pace.requests[operation.request].state;
  if (state != State::free || send(self, pace, operation, peer(self, operation)) != Then::go_on)
    return Then::leave;
  state = State::at_once;
  return Then::go_on;
}

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::start_receive(Actor& self, const Pace& pace,
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
  if (pace.pair(operation) != Pairs::unpaired) {
    request.paired = true;
    if (take_early(self, key, ranks_.requests().index(self.index, operation.request), request))
      request.state = State::done;
    return Then::go_on;
  }
  if (transport_.receive(
          self, key, pace.clock,
          {Waiter::Kind::request, ranks_.requests().index(self.index, operation.request)})) {
    request.time_s = self.result_s;
    request.bytes = self.result_bytes;
    request.state = State::done;
  }
  return Then::go_on;
}

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::wait(const Actor& self, Pace& pace,
                                                       const Operation& operation) {
  using State = Request::State;
  Request& request = pace.requests[operation.request];
  if (request.state == State::at_once) {
    request.state = State::free;
    return Then::go_on;
  }
  if (request.kind != Request::Kind::receive || has_gaps(*request.operation)) return Then::leave;
  if (request.state == State::done) {
    request.state = State::free;
    finish_receive(self, pace, *request.operation, request.time_s, request.bytes);
    return Then::go_on;
  }
  if (request.state != State::started) return Then::leave;
  request.state = State::waited;
  return Then::block;
}

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::blocking_send(const Actor& self, Pace& pace,
                                                                const Operation& operation) {
  return send(self, pace, operation, peer(self, operation));
}

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::blocking_receive(Actor& self, Pace& pace,
                                                                   const Operation& operation) {
  const std::int32_t from = peer(self, operation);
  const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
  if (from == self.rank || has_gaps(operation)) return Then::leave;
  if (!transport_.receive(self, key, pace.clock, waiter_of(self))) return Then::block;
  finish_receive(self, pace, operation, self.result_s, self.result_bytes);
  return Then::go_on;
}

template <class Timing>
typename RunAhead<Timing>::Then RunAhead<Timing>::step(Actor& self, Pace& pace,
                                                       const Operation& operation) {
  using schedule::Kind;
  switch (operation.kind) {
    case Kind::compute:
      return compute(self, pace, operation);
    case Kind::isend:
      return start_send(self, pace, operation);
    case Kind::ireceive:
      return start_receive(self, pace, operation);
    case Kind::wait:
      return wait(self, pace, operation);
    case Kind::send:
      return blocking_send(self, pace, operation);
    case Kind::receive:
      return blocking_receive(self, pace, operation);
    case Kind::loop_begin:
    case Kind::loop_end:
      return Then::loop;
    default:
      return Then::leave;
  }
}

// In a receive, or in a wait for one, from another rank, of data that are not unpacked.
template <class Timing>
bool RunAhead<Timing>::was_blocked_here(const Actor& self) {
  using schedule::Kind;
  if (self.stage != Stage::waits) return false;
  const Operation& operation = *self.operation;
  if (operation.kind == Kind::receive)
    return peer(self, operation) != self.rank && !has_gaps(operation);
  if (operation.kind != Kind::wait) return false;
  const Request& request = ranks_.requests().of_rank(self.index)[operation.request];
  return request.kind == Request::Kind::receive && !has_gaps(*request.operation);
}

template <class Timing>
void RunAhead<Timing>::finish_blocked(Actor& self, Pace& pace) {
  const Operation& operation = *self.operation;
  if (operation.kind == schedule::Kind::receive) {
    finish_receive(self, pace, operation, self.result_s, self.result_bytes);
  } else {
    Request& request = pace.requests[operation.request];
    request.state = Request::State::free;
    finish_receive(self, pace, *request.operation, request.time_s, request.bytes);
  }
  if (double* phase_s = phases_.of_rank(self.index))
    phase_s[phases_.column(operation.phase)] += pace.clock - self.operation_begin;
  self.operation = nullptr;
  self.stage = Stage::begins;
}

template <class Timing>
bool RunAhead<Timing>::run(Actor& self) {
  if (self.operation != nullptr && !was_blocked_here(self)) return true;
  const std::uint32_t rank = self.index;
  const schedule::Stream& stream = schedule_.stream(self.rank);
  const Operation* const begin = stream.data();
  const Operation* const end = begin + stream.size();
  schedule::Cursor& cursor = ranks_.cursor(rank);
  double* const phase_s = phases_.of_rank(rank);
  const Operation* at = begin + cursor.position();
  Pace pace{self.clock, self.nic_free, ranks_.requests().of_rank(rank), begin,
            pairs_.of_stream(schedule_.stream_of_rank[rank])};
  if (self.operation != nullptr) finish_blocked(self, pace);
  double begin_s = pace.clock;
  Then then = Then::go_on;
  for (; at != end; ++at, begin_s = pace.clock) {
    then = step(self, pace, *at);
    if (then == Then::loop) {
      cursor.move_to(static_cast<std::uint32_t>(at - begin));
      cursor.pass(*at);
      at = begin + cursor.position() - 1;
      continue;
    }
    if (then != Then::go_on) break;
    if (phase_s != nullptr) phase_s[phases_.column(at->phase)] += pace.clock - begin_s;
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
