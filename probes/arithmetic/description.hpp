// What the probe declares about itself.
#pragma once

#include "native/base/description.hpp"

namespace hakaru::probes::arithmetic {

base::Description description();

}  // namespace hakaru::probes::arithmetic
