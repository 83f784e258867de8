#include "apps/electrons/stencil/gradient.hpp"

namespace hakaru::apps::electrons {
namespace {

// Central differences of order 8, B. Fornberg, Math. Comp. 51, 699 (1988), table 1.
constexpr double second_derivative_centre = -205.0 / 72.0;
constexpr double second_derivative[stencil_reach] = {8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0,
                                                     -1.0 / 560.0};

}  // namespace

StencilCoefficients stencil_coefficients(const Grid& grid,
                                         const std::array<double, 3>& wave_vector_per_bohr) {
  StencilCoefficients result;
  for (int axis = 0; axis < 3; ++axis) {
    const double h = grid.spacing_bohr[axis], k = wave_vector_per_bohr[axis];
    result.centre += 0.5 * k * k - 0.5 * second_derivative_centre / (h * h);
    for (int m = 0; m < stencil_reach; ++m) {
      result.laplacian[axis][m] = -0.5 * second_derivative[m] / (h * h);
      result.gradient[axis][m] = k * stencil::first_derivative[m] / h;
    }
  }
  return result;
}

}  // namespace hakaru::apps::electrons
