// Flags that puts and gets raise where their data come to, or where they have left.
#pragma once

#include <algorithm>
#include <vector>

#include "native/replay/engine/interrupts.hpp"

namespace hakaru::replay {

template <class Timing>
class Flags {
 public:
  Flags(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
        Interrupts<Timing>& interrupts)
      : given_(given),
        ranks_(ranks),
        accounts_(accounts),
        interrupts_(interrupts),
        of_ranks_(given.uses(schedule::Kind::flag_wait) ? given.ranks() : 0) {}

  // Number 0 is no flag.
  void raise(std::int32_t rank, std::int32_t number, double time_s, const Cause& cause);
  // False when the actor is blocked.
  bool wait(Actor& actor);
  // What the operation raises where its data leave; 0: nothing.
  std::int32_t sent_by(const schedule::Operation& operation) const {
    if (operation.payload == schedule::no_payload) return 0;
    return static_cast<std::int32_t>(
        given_.schedule.lists[static_cast<std::size_t>(operation.payload)][0]);
  }

 private:
  struct Flag {
    std::int32_t number = 0;
    std::vector<double> raised_s;  // and not asked for by a wait before
    std::uint64_t wanted = 0;
    std::uint32_t waiter = none;
  };

  Flag& flag(std::int32_t rank, std::int32_t number);

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Interrupts<Timing>& interrupts_;
  std::vector<std::vector<Flag>> of_ranks_;  // a rank has few; empty: nobody waits for one
};

template <class Timing>
typename Flags<Timing>::Flag& Flags<Timing>::flag(std::int32_t rank, std::int32_t number) {
  std::vector<Flag>& own = of_ranks_[static_cast<std::size_t>(rank)];
  for (Flag& one : own)
    if (one.number == number) return one;
  own.emplace_back().number = number;
  return own.back();
}

// The n-th smallest of the times that are known. In the contention-free engine more than n may be
// known when the rank comes to look; a later one that is not known yet can only matter when several
// ranks raise one flag without being told when to stop.
template <class Timing>
bool Flags<Timing>::wait(Actor& self) {
  if (self.stage == Stage::begins && given_.costs.put_get &&
      !interrupts_.library(self, given_.costs.put_get->check_prolog_time))
    return false;
  const schedule::Operation& operation = *self.operation;
  if (operation.bytes == 0) return true;
  Flag& flag = this->flag(self.rank, operation.tag);
  if (flag.raised_s.size() < operation.bytes) {
    flag.wanted = operation.bytes;
    flag.waiter = self.index;
    self.waiting = Waiting::blocked;
    return false;
  }
  // Those that were asked for are gone: what is raised later and earlier than they were does not
  // change when the wait after this one ends, as this rank has already waited for them.
  const auto last = flag.raised_s.begin() + static_cast<std::ptrdiff_t>(operation.bytes);
  std::nth_element(flag.raised_s.begin(), last - 1, flag.raised_s.end());
  accounts_.wait_until(self, *(last - 1));
  flag.raised_s.erase(flag.raised_s.begin(), last);
  return true;
}

template <class Timing>
void Flags<Timing>::raise(std::int32_t rank, std::int32_t number, double time_s,
                          const Cause& cause) {
  if (number <= 0 || of_ranks_.empty()) return;
  Flag& flag = this->flag(rank, number);
  flag.raised_s.push_back(time_s);
  if (flag.waiter == none || flag.raised_s.size() < flag.wanted) return;
  if (Recorder* recorder = given_.recorder()) Recorder::at(recorder->of_actor, flag.waiter) = cause;
  ranks_.wake(ranks_.actor(flag.waiter), flag.waiter);
  flag.waiter = none;
}

}  // namespace hakaru::replay
