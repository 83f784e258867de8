// The phases of a repetition.
#pragma once

namespace hakaru::apps::scg::phase {

inline constexpr const char *reset = "reset", *halo = "halo", *stencil = "stencil",
                            *acknowledgement = "acknowledgement", *reduction = "reduction",
                            *update = "update";

}  // namespace hakaru::apps::scg::phase
