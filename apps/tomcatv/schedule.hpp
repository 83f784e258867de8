// What TOMCATV does, written down.
#pragma once

#include "apps/tomcatv/plan.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::tomcatv {

harness::RankSchedule rank_schedule(const Plan& plan);
// Size and memory of all ranks.
base::Work size_of(const Plan& plan);

namespace phase {
inline constexpr const char *reset = "reset", *residual = "residual", *maxima = "maxima",
                            *solve = "solve", *halo = "halo", *barrier = "barrier";
}  // namespace phase

}  // namespace hakaru::apps::tomcatv
