// One-sided operations by measured prices of their calls (docs/explanation/replay.md, "One-sided by
// measured prices").
#pragma once

#include "native/replay/engine/engine.hpp"

namespace hakaru::replay {

template <class Timing>
const OneSided* Engine<Timing>::prices(const Actor& self) {
  const Group group = groups_.group(self.operation->communicator, self.rank);
  return prices(*self.operation, self.rank, group.world(group.index == 0 ? group.size - 1 : 0));
}

// The call is the origin's; of many, each begins gap_s after the one before; done_s after its turn
// it is complete at the target, whatever the target does.
template <class Timing>
bool Engine<Timing>::access_by_price(Actor& self, const OneSided& prices, std::int32_t target) {
  using schedule::Kind;
  const Operation& operation = *self.operation;
  const bool get = operation.kind == Kind::get;
  const AccessPrice price = OneSided::of(get                                  ? prices.get
                                         : operation.kind == Kind::accumulate ? prices.accumulate
                                                                              : prices.put,
                                         operation.bytes);
  RankResult& account = accounts_[static_cast<std::size_t>(self.rank)];
  ++account.messages;
  account.bytes += operation.bytes;
  spend(self, price.call_s, SegmentKind::overhead);
  const std::uint32_t index = access(self, target);
  Access& one = accesses_[index];
  const double turn_s = std::max(self.clock, one.free_s);
  one.free_s = turn_s + price.gap_s;
  const double done_s = turn_s + price.done_s;
  const Cause cause{self.rank, self.clock, 0, price.done_s};
  raise_flag(get ? target : self.rank, sent_flag(operation), turn_s, cause);
  raise_flag(get ? self.rank : target, operation.tag, done_s, cause);
  one.remote_s = std::max(one.remote_s, done_s);
  one.local_s = std::max(one.local_s, get ? done_s : turn_s);
  if (recording()) Recorder::at(recorder_->of_access, index) = cause;
  if (operation.request >= 0)
    complete({Waiter::Kind::request, new_request(self, Request::Kind::access)},
             get ? done_s : turn_s, operation.bytes, cause);
  return true;
}

}  // namespace hakaru::replay
