// The parameters of the probe.
#pragma once

#include <string>

#include "native/base/description.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::probes::files {

base::Description description();
// The folder of temporary files where none is named.
std::string folder_of(const base::Parameters& parameters);

}  // namespace hakaru::probes::files
