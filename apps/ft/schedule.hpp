// What FT does, counted and written down.
#pragma once

#include "apps/ft/problem.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::ft {

harness::RankSchedule rank_schedule(const Plan& plan);
base::Work total_work(const Plan& plan);

namespace phase {
inline constexpr const char *set_up = "set up", *transform = "transform", *evolve = "evolve",
                            *transposition = "transposition", *checksum = "checksum",
                            *barrier = "barrier";
}  // namespace phase

}  // namespace hakaru::apps::ft
