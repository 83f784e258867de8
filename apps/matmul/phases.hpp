// The phases of a repetition.
#pragma once

namespace hakaru::apps::matmul::phase {

inline constexpr const char *get = "get", *product = "product";

}  // namespace hakaru::apps::matmul::phase
