// What the probe declares about itself.
#pragma once

#include "native/base/description.hpp"

namespace hakaru::probes::threads {

base::Description description();

}  // namespace hakaru::probes::threads
