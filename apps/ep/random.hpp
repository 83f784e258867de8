// EP's place in the benchmarks' random numbers.
#pragma once

#include "native/base/nas_random.hpp"

namespace hakaru::apps::ep {

using base::nas::modulus_bits;
using base::nas::modulus_mask;
using base::nas::multiplier;
using base::nas::power;

inline constexpr std::uint64_t seed = 271'828'183;

// x_k with x_0 = seed
inline std::uint64_t state_at(std::uint64_t k) { return base::nas::state_at(k, seed); }

}  // namespace hakaru::apps::ep
