// Threads of a rank that call MPI at the same time: each an actor with a clock and turns at the NIC
// of its own, which shares the rank's inbox and requests. A fork starts it at the rank's clock, the
// wait for the fork's request joins it.
//
// The rank's time from the fork to the join is told by the thread that ended last: its parts add up
// to that time. Messages of one key that two threads of a rank post meet in the order in which the
// threads are replayed.
#pragma once

#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
bool Engine<Timing>::fork(Actor& self) {
  const std::uint32_t record = new_request(self, Request::Kind::thread);
  Actor& helper = new_helper(self, record);
  if (free_threads_.empty()) {
    helper.thread = static_cast<std::uint32_t>(threads_.size());
    threads_.emplace_back();
  } else {
    helper.thread = free_threads_.back();
    free_threads_.pop_back();
  }
  threads_[helper.thread] = {&schedule_.streams[static_cast<std::size_t>(self.operation->payload)],
                             {},
                             accounts_[static_cast<std::size_t>(self.rank)],
                             {}};
  ready_.push_back(helper.index);
  return true;
}

template <class Timing>
void Engine<Timing>::run_thread(Actor& self) {
  Thread& thread = threads_[self.thread];
  for (;;) {
    if (self.operation == nullptr) {
      self.operation = thread.cursor.next(*thread.stream);
      if (self.operation == nullptr) break;
    }
    if (!advance_operation(self)) return;
    self.operation = nullptr;
    self.stage = Stage::begins;
  }
  self.waiting = Waiting::finished;
  complete({Waiter::Kind::request, self.request}, self.clock, self.index, {});
}

template <class Timing>
void Engine<Timing>::join(Actor& self, const Request& request) {
  Actor& helper = actor(static_cast<std::uint32_t>(request.bytes));
  const Thread& thread = threads_[helper.thread];
  if (helper.clock > self.clock) {
    RankResult& account = accounts_[static_cast<std::size_t>(self.rank)];
    for (double RankResult::*part :
         {&RankResult::compute_s, &RankResult::overhead_s, &RankResult::runtime_s,
          &RankResult::waiting_s, &RankResult::file_s})
      account.*part = thread.before.*part + thread.own.*part;
    if (recording()) record_wait(self, helper.clock, &Recorder::of_request, none);
    self.clock = helper.clock;
  }
  self.nic_free = std::max(self.nic_free, helper.nic_free);
  free_threads_.push_back(helper.thread);
  helper.thread = none;
  free_helpers_.push_back(helper.index - ranks_);
}

template <class Timing>
bool Engine<Timing>::await_start(Actor& self, std::uint32_t record) {
  if (!start_waiters_.emplace(record, self.index).second)
    misused(self, "waits for a request", "another thread of it waits for the same");
  self.waiting = Waiting::blocked;
  return false;
}

// Whoever waits looks again when the operation that starts the request is over.
template <class Timing>
void Engine<Timing>::started(const Actor& self, std::uint32_t record) {
  const auto waiter = start_waiters_.find(record);
  if (waiter == start_waiters_.end()) return;
  Actor& other = actor(waiter->second);
  start_waiters_.erase(waiter);
  wait_until(other, self.clock);
  wake(other, other.index);
}

}  // namespace hakaru::replay
