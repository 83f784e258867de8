// The parameters of the probe, and the conditions that they mean.
#pragma once

#include "native/base/description.hpp"
#include "native/base/parameters.hpp"
#include "probes/operating_system/items.hpp"

namespace hakaru::probes::operating_system {

base::Description description();

// Creates nothing; the folder is that of temporary files where none is named.
Conditions conditions_of(const base::Parameters& parameters);

}  // namespace hakaru::probes::operating_system
