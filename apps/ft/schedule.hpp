// What FT does, written down.
#pragma once

#include "apps/ft/problem.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::ft {

harness::RankSchedule rank_schedule(const Plan& plan);
// Size and memory of all ranks.
base::Work size_of(const Plan& plan);

namespace phase {
inline constexpr const char *set_up = "set up", *transform = "transform", *evolve = "evolve",
                            *transposition = "transposition", *checksum = "checksum",
                            *barrier = "barrier";
}  // namespace phase

}  // namespace hakaru::apps::ft
