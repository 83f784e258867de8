// What an ensemble costs, and what a rank does in it.
#pragma once

#include "apps/semiclassical/settings.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::semiclassical {

base::Work size_of(const Settings& settings, const base::Layout& layout);
harness::RankSchedule rank_schedule(const Settings& settings);

}  // namespace hakaru::apps::semiclassical
