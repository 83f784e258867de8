// The phases of a repetition.
#pragma once

namespace hakaru::apps::himeno::phase {

inline constexpr const char *reset = "reset", *stencil = "stencil", *halo = "halo",
                            *reduction = "reduction";

}  // namespace hakaru::apps::himeno::phase
