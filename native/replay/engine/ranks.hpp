// The ranks and what runs beside them: whose turn it is, and who is told when something completes.
#pragma once

#include <deque>
#include <vector>

#include "native/replay/engine/accounts.hpp"
#include "native/replay/engine/requests.hpp"

namespace hakaru::replay {

template <class Timing>
class Ranks {
 public:
  Ranks(const Given<Timing>& given, Accounts<Timing>& accounts);

  std::uint32_t count() const { return count_; }
  HAKARU_HOT Actor& of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Actor& of(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  HAKARU_HOT Actor& actor(std::uint32_t index) {
    return index < count_ ? ranks_[index] : helpers_[index - count_];
  }
  const std::deque<Actor>& helpers() const { return helpers_; }
  schedule::Cursor& cursor(std::uint32_t rank) { return cursors_[rank]; }
  Requests& requests() { return requests_; }
  const Requests& requests() const { return requests_; }
  // The ranks' state is larger than the cache.
  bool far_apart() const { return far_apart_; }

  // Something that runs beside `actor`, and completes this request.
  Actor& new_helper(const Actor& actor, std::uint32_t request);
  void release(const Actor& helper) { free_helpers_.push_back(helper.index - count_); }

  // The last one that became able to run goes first: what it and its partners need is still in the
  // cache.
  void make_ready(std::uint32_t index) { ready_.push_back(index); }
  bool take_ready(std::uint32_t& index) {
    if (ready_.empty()) return false;
    index = ready_.back();
    ready_.pop_back();
    return true;
  }
  void wake(Actor& actor, std::uint32_t index);
  // Who is received from is mostly sent to, soon.
  HAKARU_HOT void prefetch_partner(std::int32_t rank) {
    if (!far_apart_) return;
    __builtin_prefetch(&of(rank));
    __builtin_prefetch(&of(rank).inbox);
  }

  // What `waiter` waits for has happened.
  HAKARU_HOT void complete(Waiter waiter, double time_s, std::uint64_t bytes, const Cause& cause) {
    if (given_.recorder() != nullptr) record(waiter, time_s, cause);
    complete(waiter, time_s, bytes);
  }
  // A send whose last byte had left before it was done.
  void complete_send(Waiter waiter, double time_s, double left_s, const Cause& cause) {
    complete(waiter, time_s, 0, cause);
    if (waiter.kind() == Waiter::Kind::actor) actor(waiter.index()).left_s = left_s;
    if (waiter.kind() == Waiter::Kind::request) requests_[waiter.index()].left_s = left_s;
  }

 private:
  void complete(Waiter waiter, double time_s, std::uint64_t bytes);
  void record(Waiter waiter, double time_s, const Cause& cause);

  const Given<Timing>& given_;
  Accounts<Timing>& accounts_;
  std::uint32_t count_;
  bool far_apart_;
  std::vector<Actor, LargePages<Actor>> ranks_;
  std::vector<schedule::Cursor, LargePages<schedule::Cursor>> cursors_;
  Requests requests_;
  std::vector<std::uint32_t> ready_;
  std::deque<Actor> helpers_;
  std::vector<std::uint32_t> free_helpers_;
};

template <class Timing>
Ranks<Timing>::Ranks(const Given<Timing>& given, Accounts<Timing>& accounts)
    : given_(given),
      accounts_(accounts),
      count_(given.ranks()),
      far_apart_(count_ * (sizeof(Actor) + sizeof(RankResult)) > (std::size_t{1} << 20U)),
      ranks_(count_),
      cursors_(count_),
      requests_(given.schedule) {
  for (std::uint32_t rank = 0; rank < count_; ++rank)
    ranks_[rank].index =
        static_cast<std::uint32_t>(ranks_[rank].rank = static_cast<std::int32_t>(rank));
}

template <class Timing>
Actor& Ranks<Timing>::new_helper(const Actor& self, std::uint32_t request) {
  std::uint32_t place;
  if (free_helpers_.empty()) {
    place = static_cast<std::uint32_t>(helpers_.size());
    helpers_.emplace_back();
  } else {
    place = free_helpers_.back();
    free_helpers_.pop_back();
  }
  Actor& helper = helpers_[place] = Actor{};
  helper.helper = true;
  helper.index = count_ + place;
  helper.rank = self.rank;
  helper.clock = self.clock;
  helper.nic_free = self.nic_free;
  helper.request = request;
  return helper;
}

template <class Timing>
void Ranks<Timing>::wake(Actor& actor, std::uint32_t index) {
  actor.waiting = Waiting::nothing;
  ready_.push_back(index);
  __builtin_prefetch(reinterpret_cast<const char*>(&actor) + 64);
  __builtin_prefetch(reinterpret_cast<const char*>(&actor) + 128);
  __builtin_prefetch(reinterpret_cast<const char*>(&actor) + 192);
  __builtin_prefetch(&accounts_.of(actor.rank));
  if (requests_.none_numbered()) return;
  const auto rank = static_cast<std::size_t>(actor.rank);
  __builtin_prefetch(&cursors_[rank]);
  const Request* first = requests_.of_rank(rank);
  __builtin_prefetch(first);
  __builtin_prefetch(first + 2);
}

template <class Timing>
void Ranks<Timing>::complete(Waiter waiter, double time_s, std::uint64_t bytes) {
  const std::uint32_t index = waiter.index();
  switch (waiter.kind()) {
    case Waiter::Kind::actor: {
      Actor& one = actor(index);
      one.result_s = time_s;
      one.result_bytes = bytes;
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
      if (waited) wake(actor(request.actor), request.actor);
      return;
    }
    case Waiter::Kind::counter: {
      Actor& one = actor(index);
      --one.pending_sends;
      one.sends_done_s = std::max(one.sends_done_s, time_s);
      if (one.pending_sends == 0 && one.waiting == Waiting::sends) wake(one, index);
      return;
    }
    case Waiter::Kind::access:
    case Waiter::Kind::nobody:
      return;
  }
}

template <class Timing>
void Ranks<Timing>::record(Waiter waiter, double time_s, const Cause& cause) {
  const std::uint32_t index = waiter.index();
  const Waiter::Kind kind = waiter.kind();
  Recorder& recorder = *given_.recorder();
  const bool last = kind == Waiter::Kind::counter && time_s > actor(index).sends_done_s;
  if (kind == Waiter::Kind::actor || last) Recorder::at(recorder.of_actor, index) = cause;
  if (kind == Waiter::Kind::request) Recorder::at(recorder.of_request, index) = cause;
}

}  // namespace hakaru::replay
