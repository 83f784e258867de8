#pragma once

#include <fmt/core.h>

#include "native/base/require.hpp"
#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
Engine<Timing>::Engine(const schedule::Schedule& schedule, const Network& network,
                       const Costs& costs, const Options& options, Recorder* recorder)
    : schedule_(schedule),
      network_(network),
      costs_(costs),
      options_(options),
      uniform_(network.uniform()),
      self_level_(network.self()),
      recorder_(recorder),
      ranks_(static_cast<std::uint32_t>(schedule.ranks)),
      actors_(ranks_),
      accounts_(ranks_),
      cursors_(ranks_),
      recent_(Timing::plain ? 0 : ranks_),
      requests_(schedule),
      price_(schedule, options),
      groups_(schedule),
      timing_(*this) {
  disturbed_ = is_disturbed(network, options);
  far_apart_ = ranks_ * (sizeof(Actor) + sizeof(RankResult)) > (std::size_t{1} << 20U);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    actors_[rank].index =
        static_cast<std::uint32_t>(actors_[rank].rank = static_cast<std::int32_t>(rank));
  if (!schedule.phases.empty()) {
    phase_columns_ = schedule.phases.size() + 1;
    phase_s_.assign(phase_columns_ * ranks_, 0.0);
  }
  for (const schedule::Stream& stream : schedule.streams)
    for (const Operation& operation : stream) notice(operation);
  runs_ahead_ = uniform_ != nullptr && !has_threads_;
  if (costs.put_get) controllers_.resize(ranks_);
  base::require(!has_threads_ || !costs.put_get, "the network's put_get knows no threads",
                "several threads of a rank call MPI at once in this schedule",
                "choose a network without put_get");
}

template <class Timing>
void Engine<Timing>::notice(const Operation& operation) {
  using schedule::Kind;
  const Kind kind = operation.kind;
  if (kind == Kind::flag_wait) has_flags_ = true;
  if (kind == Kind::fork) has_threads_ = true;
  if (kind == Kind::flush || kind == Kind::unlock || kind == Kind::fence || kind == Kind::complete)
    acknowledges_ = true;
}

template <class Timing>
Result Engine<Timing>::run() {
  run_all();
  require_finished();
  require_nothing_left();
  return result();
}

// The last one that became able to run goes first: what it and its partners need is still in the
// cache.
template <class Timing>
void Engine<Timing>::run_all() {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    run(rank);
    run_ready();
  }
  while (timing_.next_event()) run_ready();
}

template <class Timing>
void Engine<Timing>::run_ready() {
  while (!ready_.empty()) {
    const std::uint32_t index = ready_.back();
    ready_.pop_back();
    run(index);
  }
}

template <class Timing>
void Engine<Timing>::run(std::uint32_t index) {
  Actor& self = actor(index);
  if (self.helper) {
    if (self.thread != none) return run_thread(self);
    if (!collective_steps(self)) return;
    self.waiting = Waiting::finished;
    const std::uint32_t request = self.request;
    const double done_s = self.clock;
    if (recording()) Recorder::at(recorder_->of_actor, index) = {};
    free_helpers_.push_back(index - ranks_);
    complete({Waiter::Kind::request, request}, done_s, 0, {});
    return;
  }
  const schedule::Stream& stream = schedule_.stream(self.rank);
  for (;;) {
    if constexpr (Timing::plain)
      if (runs_ahead_ && self.operation == nullptr && !run_ahead(self)) return;
    if (self.operation == nullptr) {
      self.operation = cursors_[index].next(stream);
      if (self.operation == nullptr) {
        self.waiting = Waiting::finished;
        ++finished_;
        return;
      }
      if (phase_columns_ != 0) self.operation_begin = self.clock;
    }
    if constexpr (Timing::ordered) {
      if (!self.done) {
        if (!advance_operation(self)) return;
        if (!controllers_.empty() && self.clock > timing_.now_s()) {
          self.done = true;
          pause(self);
          return;
        }
      }
      self.done = false;
    } else {
      if (!advance_operation(self)) return;
    }
    end_operation(self);
  }
}

template <class Timing>
bool Engine<Timing>::advance_operation(Actor& self) {
  using schedule::Kind;
  switch (self.operation->kind) {
    case Kind::compute:
      return compute(self);
    case Kind::send:
      return blocking_send(self);
    case Kind::receive:
      return blocking_receive(self);
    case Kind::isend:
      return start_send(self);
    case Kind::ireceive:
      return start_receive(self);
    case Kind::probe:
      return probe(self);
    case Kind::wait:
      return wait(self);
    case Kind::collective:
      return collective(self);
    case Kind::put:
    case Kind::accumulate:
      return put(self);
    case Kind::get:
      return get(self);
    case Kind::fence:
      return fence(self);
    case Kind::post:
    case Kind::start:
    case Kind::complete:
    case Kind::wait_exposure:
    case Kind::lock:
    case Kind::unlock:
    case Kind::flush:
      return synchronise(self);
    case Kind::flag_wait:
      return flag_wait(self);
    case Kind::file_read:
    case Kind::file_write:
    case Kind::file_open:
    case Kind::file_close:
      return file(self);
    case Kind::fork:
      return fork(self);
    case Kind::phase_begin:
    case Kind::phase_end:
    case Kind::loop_begin:
    case Kind::loop_end:
      return true;
  }
  throw base::UserError(base::ExitCode::usage, "the schedule has an operation of no known kind");
}

template <class Timing>
void Engine<Timing>::end_operation(Actor& self) {
  if (phase_columns_ != 0) {
    const std::size_t phase = std::min<std::size_t>(self.operation->phase, phase_columns_ - 1);
    phase_s_[static_cast<std::size_t>(self.rank) * phase_columns_ + phase] +=
        self.clock - self.operation_begin;
  }
  self.operation = nullptr;
  self.stage = Stage::begins;
}

template <class Timing>
void Engine<Timing>::complete(Waiter waiter, double time_s, std::uint64_t bytes,
                              const Cause& cause) {
  const std::uint32_t index = waiter.index();
  switch (waiter.kind()) {
    case Waiter::Kind::actor: {
      Actor& one = actor(index);
      one.result_s = time_s;
      one.result_bytes = bytes;
      if (recording()) Recorder::at(recorder_->of_actor, index) = cause;
      if (one.waiting == Waiting::blocked) {
        wake(one, index);
      } else {
        one.waiting = Waiting::nothing;
      }
      return;
    }
    case Waiter::Kind::request: {
      Request& request = requests_[index];
      const bool waited = request.state == Request::State::waited;
      request.time_s = time_s;
      request.bytes = bytes;
      request.state = Request::State::done;
      if (recording()) Recorder::at(recorder_->of_request, index) = cause;
      if (waited) wake(actor(request.actor), request.actor);
      return;
    }
    case Waiter::Kind::counter: {
      Actor& one = actor(index);
      --one.pending_sends;
      if (time_s > one.sends_done_s) {
        one.sends_done_s = time_s;
        if (recording()) Recorder::at(recorder_->of_actor, index) = cause;
      }
      if (one.pending_sends == 0 && one.waiting == Waiting::sends) wake(one, index);
      return;
    }
    case Waiter::Kind::access:
    case Waiter::Kind::nobody:
      return;
  }
}

template <class Timing>
void Engine<Timing>::record(const Actor& self, double seconds, SegmentKind kind) {
  recorder_->segment({self.rank, kind, self.operation->phase, self.clock, self.clock + seconds});
}

template <class Timing>
void Engine<Timing>::record_wait(const Actor& self, double time_s,
                                 const std::vector<Cause> Recorder::*causes, std::uint32_t index) {
  const std::vector<Cause>& known = recorder_->*causes;
  recorder_->segment({self.rank, SegmentKind::waiting, self.operation->phase, self.clock, time_s},
                     index < known.size() ? known[index] : Cause{});
}

template <class Timing>
Result Engine<Timing>::result() {
  Result result;
  std::int32_t last = 0;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    RankResult& account = accounts_[rank];
    account.finish_s = actors_[rank].clock;
    result.messages += account.messages;
    result.bytes += account.bytes;
    if (actors_[rank].clock > result.makespan_s) last = static_cast<std::int32_t>(rank);
    result.makespan_s = std::max(result.makespan_s, actors_[rank].clock);
  }
  for (std::size_t phase = 0; phase < phase_columns_; ++phase) {
    const bool other = phase + 1 == phase_columns_;
    PhaseResult one{other ? "other" : schedule_.phases[phase].name,
                    other ? "compute" : schedule_.phases[phase].kind,
                    {INFINITY, 0, 0}};
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const double seconds = phase_s_[rank * phase_columns_ + phase];
      one.seconds.minimum = std::min(one.seconds.minimum, seconds);
      one.seconds.maximum = std::max(one.seconds.maximum, seconds);
      one.seconds.mean += seconds / ranks_;
    }
    result.phases.push_back(std::move(one));
  }
  result.phase_s = std::move(phase_s_);
  result.ranks = std::move(accounts_);
  result.engine = Timing::name;
  if (recording() && options_.critical_path) {
    result.has_critical_path = true;
    result.critical_path = recorder_->critical_path(last, result.makespan_s);
  }
  return result;
}

}  // namespace hakaru::replay
