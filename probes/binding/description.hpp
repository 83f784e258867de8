#pragma once

#include "native/base/description.hpp"

namespace hakaru::probes::binding {

base::Description description();

}  // namespace hakaru::probes::binding
