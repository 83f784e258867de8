// Names of routines as people write them.
#pragma once

#include <string>

namespace hakaru::trace::profile {

// C++ names demangled, `__grid_MOD_smooth` of gfortran as `grid::smooth`; others as they are.
std::string readable(const std::string& symbol);

}  // namespace hakaru::trace::profile
