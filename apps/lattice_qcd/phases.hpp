// The phases of a repetition.
#pragma once

namespace hakaru::apps::lattice_qcd::phase {

inline constexpr const char *start = "start", *hopping = "operator", *halo = "halo",
                            *vectors = "vectors", *reduction = "reduction", *links = "links",
                            *link_halo = "link halo", *plaquette = "plaquette";

}  // namespace hakaru::apps::lattice_qcd::phase
