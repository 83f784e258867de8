// Interrupts, and what they cost the CPU of whom they reach (put_get.hpp). Where there are some, a
// rank does not run ahead: it pauses at the end of each operation until its clock's time has come,
// since an interrupt before that lengthens what it does:
// - it computes: the handler's time is added, as overhead;
// - it is inside a library call: the interrupt is served at the call's end;
// - it waits: the handler takes nothing but what it still needs when the wait is over.
#pragma once

#include "native/replay/engine/ranks.hpp"

namespace hakaru::replay {

// What comes next of a put or a get, in the time-ordered engine.
enum class Happening : std::uint32_t { launch, resume, depart, left, asked, landed, acknowledged };
inline constexpr std::uint32_t happening_shift = 29;

template <class Timing>
class Interrupts {
 public:
  Interrupts(const Given<Timing>& given, Ranks<Timing>& ranks, Accounts<Timing>& accounts,
             std::vector<Controller>& controllers, Timing& timing)
      : given_(given),
        ranks_(ranks),
        accounts_(accounts),
        controllers_(controllers),
        timing_(timing) {}

  bool any() const { return !controllers_.empty(); }
  // Takes the CPU of `rank` for some time; returns when the handler is done.
  double serve(std::int32_t rank, double now_s, double seconds);
  // True: the rank goes on when its clock's time has come.
  bool pause(Actor& actor);
  // Whether that time has come.
  bool may_resume(Actor& actor, double now_s);
  // CPU time at the beginning of an operation; false: the rank goes on in Stage::paid when it is
  // over.
  bool library(Actor& actor, double seconds, SegmentKind kind = SegmentKind::overhead) {
    accounts_.spend(actor, seconds, kind);
    actor.stage = Stage::paid;
    return !pause(actor);
  }
  bool run_time_system(Actor& actor, double seconds) {
    if (seconds == 0) return true;
    return library(actor, seconds * given_.options.compute_factor, SegmentKind::runtime);
  }

 private:
  const Given<Timing>& given_;
  Ranks<Timing>& ranks_;
  Accounts<Timing>& accounts_;
  std::vector<Controller>& controllers_;
  Timing& timing_;
};

template <class Timing>
double Interrupts<Timing>::serve(std::int32_t rank, double now_s, double seconds) {
  Actor& self = ranks_.of(rank);
  Controller& controller = controllers_[static_cast<std::size_t>(rank)];
  double begin_s = std::max(now_s, controller.handler_free_s);
  if (self.waiting == Waiting::paused && now_s >= controller.idle_until_s) {
    const bool in_run_time_system = !self.done && self.operation->kind != schedule::Kind::flag_wait;
    if (self.operation->kind != schedule::Kind::compute && !in_run_time_system)
      begin_s = std::max(begin_s, self.clock);
    accounts_.spend(self, seconds, SegmentKind::overhead);
  } else if (self.waiting == Waiting::paused && begin_s + seconds > controller.idle_until_s) {
    accounts_.spend(self, begin_s + seconds - controller.idle_until_s, SegmentKind::waiting);
    controller.idle_until_s = begin_s + seconds;
  }
  return controller.handler_free_s = begin_s + seconds;
}

template <class Timing>
bool Interrupts<Timing>::pause(Actor& self) {
  if constexpr (Timing::ordered) {
    if (self.helper || self.clock <= timing_.now_s()) return false;
    self.waiting = Waiting::paused;
    timing_.at(self.clock, Happening::resume, self.index);
    return true;
  }
  return false;
}

template <class Timing>
bool Interrupts<Timing>::may_resume(Actor& self, double now_s) {
  if constexpr (Timing::ordered)
    if (self.clock > now_s) {
      timing_.at(self.clock, Happening::resume, self.index);
      return false;
    }
  self.waiting = Waiting::nothing;
  return true;
}

}  // namespace hakaru::replay
