// The phases of a repetition.
#pragma once

namespace hakaru::apps::median_filter::phase {

inline constexpr const char *edges = "edges", *halo = "halo", *filter = "filter";

}  // namespace hakaru::apps::median_filter::phase
