// Phases of the time step, entered inside parallel regions by the first thread of a rank.
#pragma once

#include <omp.h>

#include "native/base/phases.hpp"

namespace hakaru::apps::electrons {

// Indices of the described phases. Without `phases` nothing is timed.
struct Clock {
  base::Phases* phases = nullptr;
  int stencil = 0, update = 0, nonlocal = 0, density = 0, current = 0, reduce = 0, exchange = 0,
      io = 0;

  Clock() = default;
  explicit Clock(base::Phases& timed)
      : phases(&timed),
        stencil(timed.index("stencil")),
        update(timed.index("update")),
        nonlocal(timed.index("nonlocal")),
        density(timed.index("density")),
        current(timed.index("current")),
        reduce(timed.index("reduce")),
        exchange(timed.index("exchange")),
        io(timed.index("io")) {}
};

class Timed {
 public:
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 protected:
  explicit Timed(const Clock& clock)
      : phases_(clock.phases && omp_get_thread_num() == 0 ? clock.phases : nullptr) {}
  ~Timed() {
    if (phases_) phases_->leave();
  }
  base::Phases* phases_;
};

// Told to tracers.
class TimedPass : public Timed {
 public:
  TimedPass(const Clock& clock, int phase) : Timed(clock) {
    if (phases_) phases_->enter(phase);
  }
};

// A part of one orbital's step: these change too often for a trace.
class TimedPart : public Timed {
 public:
  TimedPart(const Clock& clock, int phase) : Timed(clock) {
    if (phases_) phases_->enter_untold(phase);
  }
};

}  // namespace hakaru::apps::electrons
