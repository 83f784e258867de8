// Indices of the described phases, entered inside parallel regions.
#pragma once

#include "apps/electrons/phases.hpp"
#include "native/base/team_phases.hpp"

namespace hakaru::apps::electrons {

using base::TimedPart, base::TimedPass;

struct Clock : base::TeamClock {
  int stencil = 0, update = 0, nonlocal = 0, density = 0, current = 0, reduce = 0, exchange = 0,
      io = 0;

  Clock() = default;
  explicit Clock(base::Phases& timed)
      : base::TeamClock{&timed},
        stencil(timed.index(phase::stencil)),
        update(timed.index(phase::update)),
        nonlocal(timed.index(phase::nonlocal)),
        density(timed.index(phase::density)),
        current(timed.index(phase::current)),
        reduce(timed.index(phase::reduce)),
        exchange(timed.index(phase::exchange)),
        io(timed.index(phase::io)) {}
};

}  // namespace hakaru::apps::electrons
