// What the probe declares about itself.
#pragma once

#include <string>
#include <vector>

#include "native/base/description.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::probes::overlap {

base::Description description();

// One run of the SR16000 program and nothing else: `way` and `n` say which.
bool single(const base::Parameters& parameters);

// Lengths N to be tried: 1, 3, 10, 30, ... up to maximum_n, or `n` alone when it is given.
std::vector<std::int64_t> lengths(const base::Parameters& parameters);
// Bytes of the messages of the test of progress: 1 KiB, 16 KiB, ... up to maximum_bytes.
std::vector<std::int64_t> message_sizes(const base::Parameters& parameters);

}  // namespace hakaru::probes::overlap
