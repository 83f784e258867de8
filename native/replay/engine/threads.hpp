// Threads of a rank that call MPI at the same time: each an actor with a clock and turns at the NIC
// of its own, which shares the rank's inbox and requests. A fork starts it at the rank's clock, the
// wait for the fork's request joins it.
//
// The rank's time from the fork to the join is told by the thread that ended last: its parts add up
// to that time. Messages of one key that two threads of a rank post meet in the order in which the
// threads are replayed.
#pragma once

#include <deque>

#include "native/replay/engine/open_requests.hpp"

namespace hakaru::replay {

template <class Timing>
class Threads {
 public:
  Threads(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
          OpenRequests<Timing>& open)
      : given_(given), ranks_(ranks), accounts_(accounts), open_(open) {}

  void fork(Actor& actor);
  // `request` is the fork's, and done.
  void join(Actor& actor, const Request& request);
  // nullptr: the thread is at its end.
  const schedule::Operation* next(const Actor& thread) {
    Thread& one = threads_[thread.thread];
    return one.cursor.next(*one.stream);
  }
  void end(Actor& thread) {
    thread.waiting = Waiting::finished;
    ranks_.complete({Waiter::Kind::request, thread.request}, thread.clock, thread.index, {});
  }

 private:
  struct Thread {
    const schedule::Stream* stream = nullptr;
    schedule::Cursor cursor;
    RankResult before;  // its rank's account when it was forked
  };
  std::uint32_t new_thread();

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  OpenRequests<Timing>& open_;
  std::deque<Thread> threads_;
  std::vector<std::uint32_t> free_;
};

template <class Timing>
std::uint32_t Threads<Timing>::new_thread() {
  if (free_.empty()) {
    threads_.emplace_back();
    return static_cast<std::uint32_t>(threads_.size() - 1);
  }
  const std::uint32_t thread = free_.back();
  free_.pop_back();
  return thread;
}

template <class Timing>
void Threads<Timing>::fork(Actor& self) {
  const std::uint32_t record = open_.start(self, Request::Kind::thread);
  Actor& helper = ranks_.new_helper(self, record);
  helper.thread = new_thread();
  const auto stream = static_cast<std::size_t>(self.operation->payload);
  threads_[helper.thread] = {&given_.schedule.streams[stream], {}, accounts_.of(self.rank)};
  accounts_.open_thread(helper.thread);
  ranks_.make_ready(helper.index);
}

template <class Timing>
void Threads<Timing>::join(Actor& self, const Request& request) {
  Actor& helper = ranks_.actor(static_cast<std::uint32_t>(request.bytes));
  if (helper.clock > self.clock) {
    const RankResult& before = threads_[helper.thread].before;
    const RankResult& own = accounts_.of_thread(helper.thread);
    for (double RankResult::*part :
         {&RankResult::compute_s, &RankResult::overhead_s, &RankResult::runtime_s,
          &RankResult::waiting_s, &RankResult::file_s})
      accounts_.of(self.rank).*part = before.*part + own.*part;
    if (given_.recorder() != nullptr)
      accounts_.record_wait(self, helper.clock, &Recorder::of_request, none);
    self.clock = helper.clock;
  }
  self.nic_free = std::max(self.nic_free, helper.nic_free);
  free_.push_back(helper.thread);
  helper.thread = none;
  ranks_.release(helper);
}

}  // namespace hakaru::replay
