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
  Timed(const Clock& clock, int phase)
      : phases_(clock.phases && omp_get_thread_num() == 0 ? clock.phases : nullptr) {
    if (phases_) phases_->enter(phase);
  }
  ~Timed() {
    if (phases_) phases_->leave();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  base::Phases* phases_;
};

}  // namespace hakaru::apps::turbulence
