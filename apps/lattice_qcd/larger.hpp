// The larger of two distances; a NaN is larger than any number, so that no check overlooks it.
#pragma once

#include <cmath>

namespace hakaru::apps::lattice_qcd {

inline double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

// For reductions that do not carry a NaN.
inline double without_nan(double distance) { return std::isnan(distance) ? 1e300 : distance; }

}  // namespace hakaru::apps::lattice_qcd
