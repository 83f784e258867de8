// Input files for scientists: TOML with units.
#pragma once

#include <string>

#include "native/base/parameters.hpp"

namespace hakaru::apps::electrons {

// The parameters with the values of the TOML file `path`; one that was assigned before keeps its
// value, so that the command line wins. Throws UserError(usage) that names the file, the key and
// what it may be.
base::Parameters with_input(const base::Parameters& given, const std::string& path);

// "0.1 fs" in the unit a parameter has: lengths in bohr, times in `wanted` ("fs" or "au"),
// energies in eV, intensities in W/cm^2. Throws UserError(usage).
double quantity(const std::string& text, const std::string& wanted);

}  // namespace hakaru::apps::electrons
