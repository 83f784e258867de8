// Requests that calls have started and nobody has waited for yet.
#pragma once

#include <unordered_map>

#include "native/replay/engine/call_text.hpp"
#include "native/replay/engine/ranks.hpp"

namespace hakaru::replay {

template <class Timing>
class OpenRequests {
 public:
  OpenRequests(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts)
      : given_(given),
        ranks_(ranks),
        accounts_(accounts),
        threads_(given.uses(schedule::Kind::fork)) {}

  // The record of the request that the actor's operation starts.
  std::uint32_t start(const Actor& actor, Request::Kind kind);
  // A thread may wait for what another one of its rank has yet to start.
  bool may_start_later(const Request& request) const {
    return threads_ && request.state == Request::State::free;
  }
  void await_start(Actor& actor, std::uint32_t record);

 private:
  void tell_started(const Actor& actor, std::uint32_t record);

  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  bool threads_;                                              // some rank has several
  std::unordered_map<std::uint32_t, std::uint32_t> waiters_;  // actor by record
};

template <class Timing>
std::uint32_t OpenRequests<Timing>::start(const Actor& self, Request::Kind kind) {
  const auto rank = static_cast<std::uint32_t>(self.rank);
  const std::uint32_t index = ranks_.requests().index(rank, self.operation->request);
  Request& request = ranks_.requests()[index];
  if (request.state != Request::State::free)
    misused(given_.schedule, self, "starts a request again", "it was not waited for");
  request = {0, 0, self.operation, rank, kind, Request::State::started};
  if (threads_) tell_started(self, index);
  return index;
}

template <class Timing>
void OpenRequests<Timing>::await_start(Actor& self, std::uint32_t record) {
  if (!waiters_.emplace(record, self.index).second)
    misused(given_.schedule, self, "waits for a request",
            "another thread of it waits for the same");
  self.waiting = Waiting::blocked;
}

// Whoever waits looks again when the operation that starts the request is over.
template <class Timing>
void OpenRequests<Timing>::tell_started(const Actor& self, std::uint32_t record) {
  const auto waiter = waiters_.find(record);
  if (waiter == waiters_.end()) return;
  Actor& other = ranks_.actor(waiter->second);
  waiters_.erase(waiter);
  accounts_.wait_until(other, self.clock);
  ranks_.wake(other, other.index);
}

}  // namespace hakaru::replay
