// Energy of point charges in a periodic cell with a neutralising background (Ewald 1921).
#pragma once

#include "apps/electrons/crystal.hpp"

namespace hakaru::apps::electrons {

// Hartree, for the ions of the crystal with their valence charges. The result does not depend on
// `splitting` (1/bohr); 0 chooses one.
double ewald_energy(const Crystal& crystal, double splitting = 0.0);

}  // namespace hakaru::apps::electrons
