// Puts and gets that are not yet known to be complete, by origin, target and window.
#pragma once

#include <unordered_map>
#include <vector>

#include "native/replay/engine/ranks.hpp"

namespace hakaru::replay {

template <class Timing>
class Accesses {
 public:
  Accesses(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts)
      : given_(given), ranks_(ranks), accounts_(accounts) {}

  // Those of the actor's operation to `target`; valid until the next one is opened.
  std::uint32_t open(const Actor& actor, std::int32_t target);
  Access& operator[](std::uint32_t index) { return accesses_[index]; }
  // One more of them is on its way; the waiter to be told of it.
  Waiter begin(std::uint32_t index) {
    ++accesses_[index].outstanding;
    return {Waiter::Kind::access, index};
  }
  // One less; who waits for all of them is woken by the last one.
  void end(std::uint32_t index);
  // True when all accesses to `target` (all when negative) through the operation's window are
  // complete, `local`: as far as their origin is concerned.
  bool quiet(Actor& actor, std::int32_t target, bool local);

 private:
  bool all_ended(Actor& actor, std::int32_t target);
  static bool concerns(const Access& one, const Actor& actor, std::int32_t target) {
    return one.family == actor.operation->communicator && (target < 0 || one.peer == target);
  }

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  Pool<Access> accesses_;
  std::vector<std::uint32_t> first_of_rank_;  // empty until there is one
  std::unordered_map<std::uint32_t, std::uint32_t> waiters_;
};

template <class Timing>
std::uint32_t Accesses<Timing>::open(const Actor& self, std::int32_t target) {
  if (first_of_rank_.empty()) first_of_rank_.assign(ranks_.count(), none);
  std::uint32_t& first = first_of_rank_[static_cast<std::size_t>(self.rank)];
  for (std::uint32_t i = first; i != none; i = accesses_[i].next)
    if (accesses_[i].peer == target && accesses_[i].family == self.operation->communicator)
      return i;
  const std::uint32_t index = accesses_.take();
  accesses_[index] = {first, target, self.operation->communicator, 0, 0, 0, 0};
  if (Recorder* recorder = given_.recorder()) Recorder::at(recorder->of_access, index) = {};
  return first = index;
}

template <class Timing>
void Accesses<Timing>::end(std::uint32_t index) {
  if (--accesses_[index].outstanding > 0) return;
  const auto waiter = waiters_.find(index);
  if (waiter == waiters_.end()) return;
  const std::uint32_t actor = waiter->second;
  waiters_.erase(waiter);
  ranks_.wake(ranks_.actor(actor), actor);
}

template <class Timing>
bool Accesses<Timing>::all_ended(Actor& self, std::int32_t target) {
  std::uint32_t i = first_of_rank_[static_cast<std::size_t>(self.rank)];
  for (; i != none; i = accesses_[i].next) {
    if (!concerns(accesses_[i], self, target) || accesses_[i].outstanding == 0) continue;
    waiters_[i] = self.index;
    self.waiting = Waiting::blocked;
    return false;
  }
  return true;
}

template <class Timing>
bool Accesses<Timing>::quiet(Actor& self, std::int32_t target, bool local) {
  if (first_of_rank_.empty()) return true;
  if (!all_ended(self, target)) return false;
  for (std::uint32_t* link = &first_of_rank_[static_cast<std::size_t>(self.rank)]; *link != none;) {
    const std::uint32_t index = *link;
    Access& one = accesses_[index];
    if (!concerns(one, self, target)) {
      link = &one.next;
      continue;
    }
    accounts_.wait_until(self, local ? one.local_s : one.remote_s, &Recorder::of_access, index);
    if (local) {
      link = &one.next;
    } else {
      *link = one.next;
      accesses_.give_back(index);
    }
  }
  return true;
}

}  // namespace hakaru::replay
