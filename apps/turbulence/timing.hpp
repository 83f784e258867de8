// Indices of the described phases, entered inside parallel regions.
#pragma once

#include "apps/turbulence/phases.hpp"
#include "native/base/team_phases.hpp"

namespace hakaru::apps::turbulence {

using base::TimedPart, base::TimedPass;

struct Clock : base::TeamClock {
  int fft = 0, pointwise = 0, pack = 0, transpose = 0, reduce = 0;

  Clock() = default;
  explicit Clock(base::Phases& timed)
      : base::TeamClock{&timed},
        fft(timed.index(phase::fft)),
        pointwise(timed.index(phase::pointwise)),
        pack(timed.index(phase::pack)),
        transpose(timed.index(phase::transpose)),
        reduce(timed.index(phase::reduce)) {}
};

}  // namespace hakaru::apps::turbulence
