// The phases of a repetition.
#pragma once

namespace hakaru::apps::linpack::phase {

inline constexpr const char *generate = "generate", *panel = "panel", *pivot = "pivot",
                            *broadcast = "broadcast", *swap = "swap", *update = "update",
                            *solve = "solve", *substitution = "substitution";

}  // namespace hakaru::apps::linpack::phase
