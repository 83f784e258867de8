// What both variants share: the walk over the rows of a grid, with the rows of the neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "apps/electrons/stencil/stencil.hpp"

namespace hakaru::apps::electrons::stencil {

// One row along z, as real numbers (real and imaginary parts in turn).
struct Row {
  std::size_t start;                   // of the row in real-valued arrays, in points
  const double* centre;                // with `stencil_reach` periodic points before and behind it
  const double* up[2][stencil_reach];  // rows at +m along x and along y
  const double* down[2][stencil_reach];  // rows at -m
};

struct Fused {
  Complex factor = 0.0;
  Complex* sum = nullptr;
};

struct Problem {
  const StencilCoefficients& coefficients;
  const Grid& grid;
  const double* potential;
  const Complex* in;
  Complex* out;
  Fused fused;
  std::size_t prefetch_bytes;
};

// Room for two rows with their periodic points, on lines of the cache.
class RowBuffers {
 public:
  static constexpr std::size_t line_numbers = 8;

  explicit RowBuffers(std::size_t points_z) {
    static thread_local std::vector<double> memory;
    pitch_ =
        (2 * (points_z + 2 * stencil_reach) + 2 * line_numbers - 1) / line_numbers * line_numbers;
    if (memory.size() < 2 * pitch_ + line_numbers) memory.resize(2 * pitch_ + line_numbers);
    const auto address = reinterpret_cast<std::size_t>(memory.data()) / sizeof(double);
    first_ = memory.data() + (line_numbers - address % line_numbers) % line_numbers;
  }

  // Fills buffer `which` with the row at `row` and returns the place of its first point.
  const double* fill(int which, const double* row, std::size_t points_z) {
    constexpr std::size_t halo = 2 * stencil_reach;
    const std::size_t numbers = 2 * points_z;
    double* to = first_ + which * pitch_;
    for (std::size_t i = 0; i < halo; ++i) to[i] = row[numbers - halo + i];
    for (std::size_t i = 0; i < numbers; ++i) to[halo + i] = row[i];
    for (std::size_t i = 0; i < halo; ++i) to[halo + numbers + i] = row[i];
    return to + halo;
  }

 private:
  std::size_t pitch_;
  double* first_;
};

// Rows at a distance of m points up and down an axis of `points` rows of `pitch` numbers each.
inline void neighbours(const double* origin, std::size_t at, std::size_t points, std::size_t pitch,
                       const double* (&up)[stencil_reach], const double* (&down)[stencil_reach]) {
  for (std::size_t m = 1; m <= stencil_reach; ++m) {
    const std::size_t above = at + m < points ? at + m : at + m - points;
    const std::size_t below = at >= m ? at - m : at + points - m;
    up[m - 1] = origin + above * pitch;
    down[m - 1] = origin + below * pitch;
  }
}

// Calls update(row) for every row, x outermost. The periodic row of z is copied one row ahead, so
// that its unaligned reads do not wait for the copy's stores.
template <class Update>
void for_rows(const Problem& problem, Update update) {
  const auto [nx, ny, nz] = problem.grid.points;
  const double* in = reinterpret_cast<const double*>(problem.in);
  const std::size_t row_numbers = 2 * nz, plane_numbers = ny * row_numbers, rows = nx * ny;
  RowBuffers buffers(nz);
  const double* next = buffers.fill(0, in, nz);
  std::size_t number = 0;
  for (std::size_t x = 0; x < nx; ++x) {
    const double *plane_up[stencil_reach], *plane_down[stencil_reach];
    neighbours(in, x, nx, plane_numbers, plane_up, plane_down);
    for (std::size_t y = 0; y < ny; ++y) {
      Row row;
      row.start = number * nz;
      row.centre = next;
      if (++number < rows) next = buffers.fill(number % 2, in + number * row_numbers, nz);
      for (int m = 0; m < stencil_reach; ++m) {
        row.up[0][m] = plane_up[m] + y * row_numbers;
        row.down[0][m] = plane_down[m] + y * row_numbers;
      }
      neighbours(in + x * plane_numbers, y, ny, row_numbers, row.up[1], row.down[1]);
      update(row);
    }
  }
}

void run_compiler(const Problem& problem);
void run_explicit(const Problem& problem);
std::string compiler_target();
std::string explicit_target();

}  // namespace hakaru::apps::electrons::stencil
