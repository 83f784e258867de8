// What TOMCATV does, counted and written down.
#pragma once

#include "apps/tomcatv/plan.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::tomcatv {

harness::RankSchedule rank_schedule(const Plan& plan);
base::Work total_work(const Plan& plan);

namespace phase {
inline constexpr const char *reset = "reset", *residual = "residual", *maxima = "maxima",
                            *solve = "solve", *halo = "halo", *barrier = "barrier";
}  // namespace phase

}  // namespace hakaru::apps::tomcatv
