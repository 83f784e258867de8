// Help text made from the description.
#pragma once

#include <string>

#include "native/base/description.hpp"

namespace hakaru::harness {

std::string help_text(const base::Description& description, bool uses_mpi);

}  // namespace hakaru::harness
