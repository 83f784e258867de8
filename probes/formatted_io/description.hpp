// The parameters of the probe.
#pragma once

#include "native/base/description.hpp"

namespace hakaru::probes::formatted_io {

base::Description description();

}  // namespace hakaru::probes::formatted_io
