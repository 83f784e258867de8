// The iteration as the benchmark states it, without any optimisation: fourteen separate arrays, one
// scalar loop, a copy loop.
#pragma once

#include <array>
#include <vector>

#include "apps/himeno/problem.hpp"

namespace hakaru::apps::himeno {

struct ReferenceResult {
  double gosa;                   // of the last iteration
  std::vector<double> pressure;  // whole grid with its boundary, x fastest
};

template <typename Real>
ReferenceResult reference_solution(const Problem& problem, std::int64_t iterations) {
  const Grid& grid = problem.grid;
  const std::int64_t row = grid.x, plane = grid.x * grid.y;
  const std::size_t points = static_cast<std::size_t>(plane * grid.z);
  std::vector<Real> p(points), wrk1(points), wrk2(points), bnd(points);
  std::array<std::vector<Real>, 4> a;
  std::array<std::vector<Real>, 3> b, c;
  for (auto& array : a) array.resize(points);
  for (auto& array : b) array.resize(points);
  for (auto& array : c) array.resize(points);
  auto each_point = [](const Grid& end, std::int64_t margin, auto&& body) {
    for (std::int64_t z = margin; z < end.z - margin; ++z)
      for (std::int64_t y = margin; y < end.y - margin; ++y)
        for (std::int64_t x = margin; x < end.x - margin; ++x)
          body(x, y, z, (z * end.y + y) * end.x + x);
  };
  each_point(grid, 0, [&](std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t i) {
    const Coefficients at = problem.coefficients(x, y, z);
    p[i] = static_cast<Real>(problem.initial_pressure(x, y, z));
    for (int m = 0; m < 4; ++m) a[m][i] = static_cast<Real>(at.a[m]);
    for (int m = 0; m < 3; ++m) b[m][i] = static_cast<Real>(at.b[m]);
    for (int m = 0; m < 3; ++m) c[m][i] = static_cast<Real>(at.c[m]);
    wrk1[i] = static_cast<Real>(at.source);
    bnd[i] = static_cast<Real>(at.mask);
  });
  double gosa = 0.0;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    gosa = 0.0;
    each_point(grid, 1, [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t i) {
      const Real s0 =
          a[0][i] * p[i + plane] + a[1][i] * p[i + row] + a[2][i] * p[i + 1] +
          b[0][i] *
              (p[i + plane + row] - p[i + plane - row] - p[i - plane + row] + p[i - plane - row]) +
          b[1][i] * (p[i + row + 1] - p[i - row + 1] - p[i + row - 1] + p[i - row - 1]) +
          b[2][i] * (p[i + plane + 1] - p[i - plane + 1] - p[i + plane - 1] + p[i - plane - 1]) +
          c[0][i] * p[i - plane] + c[1][i] * p[i - row] + c[2][i] * p[i - 1] + wrk1[i];
      const Real ss = (s0 * a[3][i] - p[i]) * bnd[i];
      gosa += static_cast<double>(ss) * static_cast<double>(ss);
      wrk2[i] = p[i] + static_cast<Real>(relaxation) * ss;
    });
    each_point(grid, 1,
               [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t i) { p[i] = wrk2[i]; });
  }
  return {gosa, {p.begin(), p.end()}};
}

}  // namespace hakaru::apps::himeno
