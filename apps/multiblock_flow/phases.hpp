// The phases of a repetition.
#pragma once

namespace hakaru::apps::multiblock_flow::phase {

inline constexpr const char *start = "start", *flux = "flux", *boundary = "boundary",
                            *halo = "halo", *reduction = "reduction", *output = "output";

}  // namespace hakaru::apps::multiblock_flow::phase
