// The phases of a repetition.
#pragma once

namespace hakaru::apps::cg::phase {

inline constexpr const char *product = "product", *vectors = "vectors",
                            *vector_reduction = "vector reduction", *move = "move",
                            *reduction = "reduction", *barrier = "barrier", *gather = "gather";

}  // namespace hakaru::apps::cg::phase
