// Local density approximation, unpolarised: Slater exchange and the correlation of Perdew and
// Zunger, PRB 23 (1981) 5048.
#pragma once

#include <cstddef>

namespace hakaru::apps::electrons {

struct ExchangeCorrelation {
  double energy = 0.0;     // hartree an electron
  double potential = 0.0;  // hartree
};

// Of a density in electrons per bohr^3; zero where it is not above 1e-20.
ExchangeCorrelation exchange_correlation(double density);

}  // namespace hakaru::apps::electrons
