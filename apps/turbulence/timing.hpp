// Phases of the time step, entered inside parallel regions by the first thread of a rank.
#pragma once

#include <omp.h>

#include "native/base/phases.hpp"

namespace hakaru::apps::turbulence {

// Indices of the described phases. Without `phases` nothing is timed.
struct Clock {
  base::Phases* phases = nullptr;
  int fft = 0, pointwise = 0, pack = 0, transpose = 0, reduce = 0;

  Clock() = default;
  explicit Clock(base::Phases& timed)
      : phases(&timed),
        fft(timed.index("fft")),
        pointwise(timed.index("pointwise")),
        pack(timed.index("pack")),
        transpose(timed.index("transpose")),
        reduce(timed.index("reduce")) {}
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

// A pass over everything, told to tracers.
class TimedPass : public Timed {
 public:
  TimedPass(const Clock& clock, int phase) : Timed(clock) {
    if (phases_) phases_->enter(phase);
  }
};

// One block or plane in such a pass. These change thousands of times a step, too often for a trace.
class TimedPart : public Timed {
 public:
  TimedPart(const Clock& clock, int phase) : Timed(clock) {
    if (phases_) phases_->enter_untold(phase);
  }
};

}  // namespace hakaru::apps::turbulence
