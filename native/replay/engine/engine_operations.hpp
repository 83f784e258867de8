#pragma once

#include <fmt/core.h>

#include "native/base/require.hpp"
#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
bool Engine<Timing>::compute(Actor& self) {
  const double begin_s = self.clock;
  spend(self, price_.seconds(*self.operation, self.rank, self.clock), SegmentKind::compute);
  if (disturbed()) {
    Recent& recent = recent_[static_cast<std::size_t>(self.rank)];
    if (recent.computes_from == recent.computes_to) recent.computes_from = begin_s;
    recent.computes_to = self.clock;
  }
  return true;
}

namespace {

inline Protocol protocol_of(const schedule::Operation& operation) {
  if (operation.mode == schedule::Mode::synchronous) return Protocol::rendezvous;
  return operation.mode == schedule::Mode::ready ? Protocol::eager : Protocol::by_size;
}

inline std::uint64_t moved_bytes(const schedule::Operation& file) {
  using schedule::Kind;
  return file.kind == Kind::file_read || file.kind == Kind::file_write ? file.bytes : 0;
}

}  // namespace

template <class Timing>
bool Engine<Timing>::blocking_send(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t to = peer(self);
  if (self.stage == Stage::begins) {
    const bool held = operation.mode != schedule::Mode::buffered;
    self.waiting = Waiting::expecting;
    const bool done =
        send(self, to, operation.tag, channel_of(operation.communicator, Traffic::message),
             operation.bytes, protocol_of(operation), held ? waiter_of(self) : Waiter{},
             SegmentKind::overhead);
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
  wait_until(self, self.result_s);
  if (to != self.rank)
    self.nic_free = std::max(self.nic_free,
                             self.result_s + path(self.rank, to).level->of(operation.bytes).gap_s);
  return true;
}

template <class Timing>
bool Engine<Timing>::blocking_receive(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t from = peer(self);
  if (self.stage == Stage::begins) {
    const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
    self.stage = Stage::waits;
    if (!receive(self, key, self.clock, waiter_of(self))) {
      self.waiting = Waiting::blocked;
      return false;
    }
  }
  if (self.result_bytes > operation.bytes) truncated(self, operation, from, self.result_bytes);
  finish_receive(self, from, self.result_s, self.result_bytes, SegmentKind::overhead);
  return true;
}

template <class Timing>
std::uint32_t Engine<Timing>::new_request(Actor& self, Request::Kind kind) {
  const auto rank = static_cast<std::uint32_t>(self.rank);
  const std::uint32_t index = requests_.index(rank, self.operation->request);
  Request& request = requests_[index];
  if (request.state != Request::State::free)
    misused(self, "starts a request again", "it was not waited for");
  request = {0, 0, self.operation, rank, kind, Request::State::started};
  if (has_threads_) started(self, index);
  return index;
}

template <class Timing>
bool Engine<Timing>::start_send(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t to = peer(self);
  const std::uint32_t channel = channel_of(operation.communicator, Traffic::message);
  const Protocol protocol = protocol_of(operation);
  const bool eager = protocol == Protocol::eager ||
                     (protocol == Protocol::by_size &&
                      operation.bytes <= path(self.rank, to).level->eager_limit_bytes);
  const bool at_once = eager || operation.mode == schedule::Mode::buffered;
  if (at_once) {
    send(self, to, operation.tag, channel, operation.bytes, protocol, Waiter{},
         SegmentKind::overhead);
    requests_[new_request(self, Request::Kind::send)].state = Request::State::at_once;
    return true;
  }
  const std::uint32_t record = new_request(self, Request::Kind::send);
  send(self, to, operation.tag, channel, operation.bytes, protocol, {Waiter::Kind::request, record},
       SegmentKind::overhead);
  return true;
}

template <class Timing>
bool Engine<Timing>::start_receive(Actor& self) {
  const Operation& operation = *self.operation;
  const std::int32_t from = peer(self);
  const bool own = from == self.rank;
  const std::uint32_t record =
      new_request(self, own ? Request::Kind::own_receive : Request::Kind::receive);
  const Key key{from, operation.tag, channel_of(operation.communicator, Traffic::message)};
  if (receive(self, key, self.clock, {Waiter::Kind::request, record})) {
    Request& request = requests_[record];
    request.time_s = self.result_s;
    request.bytes = self.result_bytes;
    request.state = Request::State::done;
    if (recording()) {
      const Cause cause = recorder_->of_actor[self.index];
      Recorder::at(recorder_->of_request, record) = cause;
    }
  }
  return true;
}

// Until the first message of the key is there; takes nothing.
template <class Timing>
bool Engine<Timing>::probe(Actor& self) {
  if (self.stage == Stage::waits) {
    wait_until(self, self.result_s);
    return true;
  }
  const Key key{peer(self), self.operation->tag,
                channel_of(self.operation->communicator, Traffic::message)};
  const Found found = matching_.find(self.inbox, key);
  if (found.entry != none && matching_[found.entry].kind() == EntryKind::message) {
    const Entry& entry = matching_[found.entry];
    if (recording()) {
      const Cause cause = recorder_->of_entry[found.entry];
      Recorder::at(recorder_->of_actor, self.index) = cause;
    }
    wait_until(self, entry.time_s);
    return true;
  }
  if (found.entry != none && matching_[found.entry].kind() == EntryKind::flight) {
    Flight& flight = flights_[static_cast<std::uint32_t>(matching_[found.entry].node)];
    if (flight.state != Flight::State::moving) {
      const double latency_s = path(flight.from, flight.to).latency_s;
      if (recording())
        Recorder::at(recorder_->of_actor, self.index) = {flight.from, flight.ready_s, latency_s, 0};
      wait_until(self, flight.state == Flight::State::arrived ? flight.arrival_s
                                                              : flight.ready_s + latency_s);
      return true;
    }
    flight.prober = waiter_of(self);
  } else {
    matching_.append(self.inbox, key, EntryKind::probe, waiter_of(self).bits(), self.clock);
  }
  self.stage = Stage::waits;
  self.waiting = Waiting::blocked;
  return false;
}

template <class Timing>
bool Engine<Timing>::wait(Actor& self) {
  using State = Request::State;
  const std::uint32_t index =
      requests_.index(static_cast<std::size_t>(self.rank), self.operation->request);
  if (self.stage == Stage::waits) {
    finish_request(self, index);
    return true;
  }
  State& state = requests_[index].state;
  if (state == State::at_once) {
    state = State::free;
    return true;
  }
  if (state == State::done) {
    finish_request(self, index);
    return true;
  }
  if (has_threads_ && state == State::free) return await_start(self, index);
  if (state != State::started) misused(self, "waits for a request", "nothing was started with it");
  state = State::waited;
  requests_[index].actor = self.index;
  self.stage = Stage::waits;
  self.waiting = Waiting::blocked;
  return false;
}

template <class Timing>
void Engine<Timing>::finish_request(Actor& self, std::uint32_t record) {
  Request& request = requests_[record];
  request.state = Request::State::free;
  if (request.kind == Request::Kind::thread) return join(self, request);
  const Operation& operation = *request.operation;
  double time_s = request.time_s;
  if (request.kind == Request::Kind::receive || request.kind == Request::Kind::own_receive) {
    const std::int32_t from = peer(self, operation);
    const std::uint64_t bytes = request.bytes;
    if (bytes > operation.bytes) truncated(self, operation, from, bytes);
    if (disturbed()) time_s = disturbed_arrival(self, from, time_s, bytes);
    if (serialises()) time_s = serialised(self, from, time_s, bytes);
    wait_until(self, time_s, &Recorder::of_request, record);
    spend(self, path(from, self.rank).level->of(bytes).receive_overhead_s, SegmentKind::overhead);
    return;
  }
  wait_until(self, time_s, &Recorder::of_request, record);
  if (request.kind != Request::Kind::send) return;
  if (const std::int32_t to = peer(self, operation); to != self.rank)
    self.nic_free =
        std::max(self.nic_free, time_s + path(self.rank, to).level->of(operation.bytes).gap_s);
}

// A read or write takes operation_s + bytes / rate. Collective ones begin when all have come, and
// end together after the longer of: the most of one rank at a rank's rate, all at the total rate.
// Others share the total rate among the ranks of the communicator.
template <class Timing>
bool Engine<Timing>::file(Actor& self) {
  const Operation& operation = *self.operation;
  if (!costs_.file_system.has_value() && !options_.free)
    throw base::UserError(
        base::ExitCode::usage,
        base::explain(fmt::format("rank {} uses a file", self.rank),
                      "the network document has no \"file_system\"",
                      "give {\"operation_s\", \"rank_bytes_per_s\", \"total_bytes_per_s\"}"));
  const FileSystem system = costs_.file_system.value_or(FileSystem{});
  if (operation.mode != schedule::Mode::collective) {
    const double ranks = groups_.group(operation.communicator, self.rank).size;
    const auto bytes = static_cast<double>(moved_bytes(operation));
    spend(self, system.operation_s + moving_s(system, bytes, bytes * ranks), SegmentKind::file);
    return true;
  }
  if (self.stage == Stage::begins && !enter(self, schedule::Collective::barrier, false))
    return false;
  wait_until(self, self.result_s);
  spend(self, system.operation_s + self.together_s, SegmentKind::file);
  return true;
}

template <class Timing>
void Engine<Timing>::truncated(const Actor& self, const Operation& posted, std::int32_t from,
                               std::uint64_t bytes) const {
  throw base::UserError(
      base::ExitCode::usage,
      base::explain(
          fmt::format("rank {} receives {} bytes into {}", self.rank, bytes, posted.bytes),
          fmt::format("from rank {}, tag {}, communicator '{}'", from, posted.tag,
                      schedule_.communicators[posted.communicator].name),
          "the schedule is inconsistent"));
}

}  // namespace hakaru::replay
