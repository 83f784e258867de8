// Indices of the described phases, entered inside parallel regions.
#pragma once

#include "native/base/team_phases.hpp"

namespace hakaru::apps::electrons {

using base::TimedPart, base::TimedPass;

struct Clock : base::TeamClock {
  int stencil = 0, update = 0, nonlocal = 0, density = 0, current = 0, reduce = 0, exchange = 0,
      io = 0;

  Clock() = default;
  explicit Clock(base::Phases& timed)
      : base::TeamClock{&timed},
        stencil(timed.index("stencil")),
        update(timed.index("update")),
        nonlocal(timed.index("nonlocal")),
        density(timed.index("density")),
        current(timed.index("current")),
        reduce(timed.index("reduce")),
        exchange(timed.index("exchange")),
        io(timed.index("io")) {}
};

}  // namespace hakaru::apps::electrons
