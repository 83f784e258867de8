// The parameters of the probe.
#pragma once

#include "native/base/description.hpp"

namespace hakaru::probes::vector_length {

inline constexpr std::int64_t shortest = 16;

base::Description description();

}  // namespace hakaru::probes::vector_length
