// From the parameters of the command line to what a simulation needs.
#pragma once

#include "apps/electrons/simulation.hpp"
#include "native/base/description.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::apps::electrons {

// Declares parameters and presets.
void declare_parameters(base::Description& description);
// With the values of the input file, where one is given; the same when applied twice. When every
// parameter was assigned, as a plan and a record do, the file need not be there any more.
base::Parameters effective(const base::Parameters& given);
// Of effective parameters. Throws UserError(usage) for cells and grids that cannot be.
Settings settings_of(const base::Parameters& parameters);

}  // namespace hakaru::apps::electrons
