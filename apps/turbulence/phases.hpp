// The phases of a repetition.
#pragma once

namespace hakaru::apps::turbulence::phase {

inline constexpr const char *fft = "fft", *pointwise = "pointwise", *pack = "pack",
                            *transpose = "transpose", *reduce = "reduce", *io = "io",
                            *baseline = "baseline";

}  // namespace hakaru::apps::turbulence::phase
