#include "apps/electrons/cell_grid.hpp"

#include <numbers>

namespace hakaru::apps::electrons {

double CellGrid::wavenumber(int axis, int f) const {
  const int n = points[axis];
  return 2.0 * std::numbers::pi / lengths[axis] * (2 * f < n ? f : f - n);
}

}  // namespace hakaru::apps::electrons
