// The phases of a repetition, and their indices inside parallel regions.
#pragma once

#include "native/base/team_phases.hpp"

namespace hakaru::apps::semiclassical {

namespace phase {
inline constexpr const char *start = "start", *force = "force", *products = "products",
                            *prefactor = "prefactor", *correlation = "correlation",
                            *reduction = "reduction", *io = "io";
}

struct Clock : base::TeamClock {
  int start = 0, force = 0, products = 0, prefactor = 0, correlation = 0;

  Clock() = default;
  explicit Clock(base::Phases& timed)
      : base::TeamClock{&timed},
        start(timed.index(phase::start)),
        force(timed.index(phase::force)),
        products(timed.index(phase::products)),
        prefactor(timed.index(phase::prefactor)),
        correlation(timed.index(phase::correlation)) {}
};

}  // namespace hakaru::apps::semiclassical
