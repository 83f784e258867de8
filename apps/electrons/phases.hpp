// The phases of a repetition.
#pragma once

namespace hakaru::apps::electrons::phase {

inline constexpr const char *stencil = "stencil", *update = "update", *nonlocal = "nonlocal",
                            *density = "density", *current = "current", *reduce = "reduce",
                            *exchange = "exchange", *io = "io";

}  // namespace hakaru::apps::electrons::phase
