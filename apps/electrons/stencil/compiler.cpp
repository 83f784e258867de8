#include <algorithm>
#include <vector>

#include "apps/electrons/stencil/planes.hpp"

namespace hakaru::apps::electrons::stencil {
namespace {

using Terms = double[stencil_reach];

struct Neighbours {
  const double *up[stencil_reach], *down[stencil_reach];

  void set(int m, const double* above, const double* below) {
    up[m - 1] = above;
    down[m - 1] = below;
  }
};

// even[i] += sum_m laplacian_m (up_m + down_m), odd[i] += sum_m gradient_m (up_m - down_m): all
// coefficients are real, so real and imaginary parts are numbers like any others.
void add_axis(const Neighbours& at, const Terms& laplacian, const Terms& gradient,
              std::size_t numbers, double* __restrict__ even, double* __restrict__ odd) {
  const double *up1 = at.up[0], *up2 = at.up[1], *up3 = at.up[2], *up4 = at.up[3];
  const double *down1 = at.down[0], *down2 = at.down[1], *down3 = at.down[2], *down4 = at.down[3];
  const double l1 = laplacian[0], l2 = laplacian[1], l3 = laplacian[2], l4 = laplacian[3];
  const double g1 = gradient[0], g2 = gradient[1], g3 = gradient[2], g4 = gradient[3];
#pragma omp simd
  for (std::size_t i = 0; i < numbers; ++i) {
    even[i] += l1 * (up1[i] + down1[i]) + l2 * (up2[i] + down2[i]) + l3 * (up3[i] + down3[i]) +
               l4 * (up4[i] + down4[i]);
    odd[i] += g1 * (up1[i] - down1[i]) + g2 * (up2[i] - down2[i]) + g3 * (up3[i] - down3[i]) +
              g4 * (up4[i] - down4[i]);
  }
}

// out = even + (V + centre) in - i odd.
void combine(const double* potential, double centre, const double* in, const double* even,
             const double* odd, std::size_t points, double* __restrict__ out) {
#pragma omp simd
  for (std::size_t z = 0; z < points; ++z) {
    const double local = potential[z] + centre;
    out[2 * z] = local * in[2 * z] + even[2 * z] + odd[2 * z + 1];
    out[2 * z + 1] = local * in[2 * z + 1] + even[2 * z + 1] - odd[2 * z];
  }
}

void add_scaled(const double* in, Complex factor, std::size_t points, double* __restrict__ sum) {
  const double re = factor.real(), im = factor.imag();
#pragma omp simd
  for (std::size_t z = 0; z < points; ++z) {
    sum[2 * z] += re * in[2 * z] - im * in[2 * z + 1];
    sum[2 * z + 1] += re * in[2 * z + 1] + im * in[2 * z];
  }
}

}  // namespace

void run_compiler(const Problem& problem) {
  const std::size_t rows = problem.grid.points[1], points = problem.grid.points[2];
  const std::size_t numbers = 2 * points;
  const StencilCoefficients& c = problem.coefficients;
  std::vector<double> even(numbers), odd(numbers);
  PaddedRows padded(1, points);
  for_planes(problem.grid, problem.in, [&](const Plane& plane) {
    for (std::size_t y = 0; y < rows; ++y) {
      const std::size_t row = plane.rows[y], start = plane.start + y * points;
      padded.fill(plane.here + row);
      Neighbours x, along_y, z;
      for (int m = 1; m <= stencil_reach; ++m) {
        x.set(m, plane.up[m - 1] + row, plane.down[m - 1] + row);
        along_y.set(m, plane.here + plane.rows[y + m], plane.here + (plane.rows + y)[-m]);
        z.set(m, padded.first() + 2 * m, padded.first() - 2 * m);
      }
      std::fill(even.begin(), even.end(), 0.0);
      std::fill(odd.begin(), odd.end(), 0.0);
      const Neighbours* axes[] = {&x, &along_y, &z};
      for (int axis = 0; axis < 3; ++axis)
        add_axis(*axes[axis], c.laplacian[axis], c.gradient[axis], numbers, even.data(),
                 odd.data());
      combine(problem.potential + start, c.centre, padded.first(), even.data(), odd.data(), points,
              reinterpret_cast<double*>(problem.out + start));
      if (problem.fused.sum)
        add_scaled(padded.first(), problem.fused.factor, points,
                   reinterpret_cast<double*>(problem.fused.sum + start));
    }
  });
}

std::string compiler_target() {
#if defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__)
  return "AVX2";
#else
  return "compiler's default";
#endif
}

}  // namespace hakaru::apps::electrons::stencil
