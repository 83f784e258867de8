// Failed tests that lead to a success are waiting, see polling_gap_s.
#include "native/trace/reader/rank_builder.hpp"

namespace hakaru::trace {

using schedule::Kind;
using schedule::Operation;

void RankBuilder::Polling::add(Seconds& to, SilentCall* call, double seconds) {
  for (auto& [known, sum] : to) {
    if (known == call) return void(sum += seconds);
  }
  to.emplace_back(call, seconds);
}

// A single test between pauses is part of the work around it.
void RankBuilder::Polling::pause() {
  if (tests > 1) {
    earlier += last - begin;
    for (const auto& [call, seconds] : now) add(before, call, seconds);
  }
  tests = 0;
  now.clear();
}

void RankBuilder::tested(std::uint64_t time, std::uint64_t request) {
  advance(time);
  tested_ = request;
}

void RankBuilder::poll(SilentCall& silent, std::uint64_t leave) {
  Polling& p = polling_;
  if (!p.active) {
    p.active = true;
    p.request = tested_;
    p.tests = p.earlier = 0;
    p.now.clear();
    p.before.clear();
  } else if (call_enter_ - p.last >= polling_gap_) {
    p.pause();
  }
  if (p.tests++ == 0) p.begin = call_enter_;
  if (p.request != tested_) p.request = Polling::unknown;
  p.last = leave;
  Polling::add(p.now, &silent,
               static_cast<double>(leave - call_enter_) / definitions_.ticks_per_second);
}

// Whether the first operation of this call is what the tests before it were for.
bool RankBuilder::ends_polling(const Operation& operation) const {
  if (!polling_.active) return false;
  if (operation.kind != Kind::wait && operation.kind != Kind::probe &&
      operation.kind != Kind::wait_exposure)
    return false;
  if (call_->call.kind == CallKind::test || operation.kind != Kind::wait) return true;
  return polling_.request == Polling::unknown || polling_.request == completed_;
}

// The tests' time is that of the operation which they led to. What lies between them and is no
// polling comes before it.
void RankBuilder::take_polls() {
  Polling& p = polling_;
  if (call_enter_ - p.last >= polling_gap_) {
    p.pause();
    p.begin = call_enter_;
  }
  call_begin_ = p.begin - p.earlier;
  for (const Polling::Seconds* taken : {&p.before, &p.now}) {
    for (const auto& [call, seconds] : *taken) call->seconds -= seconds;
  }
}

}  // namespace hakaru::trace
