#pragma once

#include "native/base/description.hpp"

namespace hakaru::probes::reduction {

base::Description description();

}  // namespace hakaru::probes::reduction
