// Where the time of ranks and of their threads goes: what moves an actor's clock writes it down
// here.
#pragma once

#include <utility>
#include <vector>

#include "native/replay/engine/actor.hpp"
#include "native/replay/engine/disturbance.hpp"
#include "native/replay/engine/large_pages.hpp"
#include "native/replay/engine/noise.hpp"

namespace hakaru::replay {

template <class Timing>
class Accounts {
 public:
  Accounts(const Given<Timing>& given, Disturbance<Timing>& disturbance,
           std::vector<Controller>& controllers)
      : given_(given),
        disturbance_(disturbance),
        controllers_(controllers),
        noise_(given.options.noise, given.noisy_calls() ? given.schedule.ranks : 0,
               Interruptions::For::calls),
        of_ranks_(given.ranks()) {}

  HAKARU_HOT void spend(Actor& actor, double seconds, SegmentKind kind) {
    if (is_struck(actor, kind) && seconds > 0)
      seconds = noise_.lengthened(seconds, actor.rank, actor.clock);
    pay(actor, seconds, kind);
  }
  HAKARU_HOT void pay(Actor& actor, double seconds, SegmentKind kind) {
    if (!actor.helper) {
      part_of(of(actor.rank), kind) += seconds;
      if (given_.recorder() != nullptr && seconds > 0) record(actor, seconds, kind);
    } else if (actor.thread != none) {
      part_of(of_threads_[actor.thread], kind) += seconds;
    }
    actor.clock += seconds;
  }
  // `causes[index]` says what ended the wait.
  HAKARU_HOT void wait_until(Actor& actor, double time_s,
                             const std::vector<Cause> Recorder::*causes, std::uint32_t index) {
    if (time_s <= actor.clock) return;
    if (Timing::ordered && !controllers_.empty() && !actor.helper)
      time_s = controllers_[static_cast<std::size_t>(actor.rank)].idle_until(time_s);
    if (!actor.helper) {
      if (given_.disturbed()) disturbance_.waited_until(actor.rank, time_s);
      of(actor.rank).waiting_s += time_s - actor.clock;
      if (given_.recorder() != nullptr) record_wait(actor, time_s, causes, index);
    } else if (actor.thread != none) {
      of_threads_[actor.thread].waiting_s += time_s - actor.clock;
    }
    const double waited_s = time_s - actor.clock;
    actor.clock = time_s;
    if (is_struck(actor, SegmentKind::overhead))
      pay(actor, noise_.held(actor.rank, waited_s, time_s), SegmentKind::overhead);
  }
  HAKARU_HOT void wait_until(Actor& actor, double time_s) {
    wait_until(actor, time_s, &Recorder::of_actor, actor.index);
  }
  HAKARU_HOT void sent(const Actor& actor, std::uint64_t bytes, std::uint64_t messages = 1) {
    RankResult& account = of(actor.rank);
    account.messages += messages;
    account.bytes += bytes;
  }
  void record_wait(const Actor& actor, double time_s, const std::vector<Cause> Recorder::*causes,
                   std::uint32_t index) const;

  RankResult& of(std::int32_t rank) { return of_ranks_[static_cast<std::size_t>(rank)]; }
  // Of a thread since open_thread().
  RankResult& of_thread(std::uint32_t thread) { return of_threads_[thread]; }
  void open_thread(std::uint32_t thread) {
    if (thread >= of_threads_.size()) of_threads_.resize(thread + 1);
    of_threads_[thread] = {};
  }
  // nullptr: calls are quiet.
  Interruptions* noise_of_calls() { return given_.noisy_calls() ? &noise_ : nullptr; }
  auto take_ranks() { return std::move(of_ranks_); }

 private:
  // Whether noise strikes it here. Computing has its noise in its price, files have none, and what
  // all pay together is what adapters and switches do, or was measured with all noise.
  bool is_struck(const Actor& actor, SegmentKind kind) const {
    return given_.noisy_calls() && !actor.helper &&
           (kind == SegmentKind::overhead ||
            (kind == SegmentKind::runtime && actor.stage != Stage::together));
  }
  void record(const Actor& actor, double seconds, SegmentKind kind) const;

  const Given<Timing>& given_;
  Disturbance<Timing>& disturbance_;
  std::vector<Controller>& controllers_;  // of a network with put_get
  Interruptions noise_;                   // of calls
  std::vector<RankResult, LargePages<RankResult>> of_ranks_;
  std::vector<RankResult> of_threads_;
};

template <class Timing>
void Accounts<Timing>::record(const Actor& self, double seconds, SegmentKind kind) const {
  given_.recorder()->segment(
      {self.rank, kind, self.operation->phase, self.clock, self.clock + seconds});
}

template <class Timing>
void Accounts<Timing>::record_wait(const Actor& self, double time_s,
                                   const std::vector<Cause> Recorder::*causes,
                                   std::uint32_t index) const {
  const std::vector<Cause>& known = given_.recorder()->*causes;
  given_.recorder()->segment(
      {self.rank, SegmentKind::waiting, self.operation->phase, self.clock, time_s},
      index < known.size() ? known[index] : Cause{});
}

}  // namespace hakaru::replay
