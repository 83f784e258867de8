// Indices of the described phases, entered inside parallel regions.
#pragma once

#include "native/base/team_phases.hpp"

namespace hakaru::apps::turbulence {

using base::TimedPart, base::TimedPass;

struct Clock : base::TeamClock {
  int fft = 0, pointwise = 0, pack = 0, transpose = 0, reduce = 0;

  Clock() = default;
  explicit Clock(base::Phases& timed)
      : base::TeamClock{&timed},
        fft(timed.index("fft")),
        pointwise(timed.index("pointwise")),
        pack(timed.index("pack")),
        transpose(timed.index("transpose")),
        reduce(timed.index("reduce")) {}
};

}  // namespace hakaru::apps::turbulence
