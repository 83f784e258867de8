// Phases entered inside parallel regions, by the first thread of a rank: what it does is taken for
// what the team does.
#pragma once

#include <omp.h>

#include "native/base/phases.hpp"

namespace hakaru::base {

// Without `phases` nothing is timed. Programs add the indices of their phases.
struct TeamClock {
  Phases* phases = nullptr;
};

class Timed {
 public:
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 protected:
  explicit Timed(const TeamClock& clock)
      : phases_(clock.phases != nullptr && omp_get_thread_num() == 0 ? clock.phases : nullptr) {}
  ~Timed() {
    if (phases_ != nullptr) phases_->leave();
  }
  Phases* phases_;
};

// A pass over everything, told to tracers.
class TimedPass : public Timed {
 public:
  TimedPass(const TeamClock& clock, int phase) : Timed(clock) {
    if (phases_ != nullptr) phases_->enter(phase);
  }
};

// One piece of such a pass. These change thousands of times a step, too often for a trace.
class TimedPart : public Timed {
 public:
  TimedPart(const TeamClock& clock, int phase) : Timed(clock) {
    if (phases_ != nullptr) phases_->enter_untold(phase);
  }
};

}  // namespace hakaru::base
