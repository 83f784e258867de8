// What both variants share: the walk over the planes of a grid, with the planes and rows of the
// neighbours found once for each plane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "apps/electrons/stencil/stencil.hpp"

namespace hakaru::apps::electrons::stencil {

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

// The rows at one x. All offsets and pitches count real numbers (real and imaginary parts in turn).
struct Plane {
  std::size_t start;  // of the plane in arrays of points
  const double* here;
  const double* up[stencil_reach];    // planes at x + m
  const double* down[stencil_reach];  // planes at x - m
  // Offset of the row y + m is rows[y + m], periodic, for m of -4 to 4.
  const std::size_t* rows;
};

// Offsets of rows -reach ... points + reach of a periodic axis.
class PeriodicRows {
 public:
  PeriodicRows(std::size_t points, std::size_t pitch) : offsets_(points + 2 * stencil_reach) {
    for (std::size_t i = 0; i < offsets_.size(); ++i)
      offsets_[i] = (i + points - stencil_reach) % points * pitch;
  }
  const std::size_t* from_zero() const { return offsets_.data() + stencil_reach; }

 private:
  std::vector<std::size_t> offsets_;
};

// Calls update(plane) for every plane in the order of x.
template <class Update>
void for_planes(const Grid& grid, const Complex* orbital, Update update) {
  const auto [nx, ny, nz] = grid.points;
  const double* in = reinterpret_cast<const double*>(orbital);
  const PeriodicRows planes(nx, 2 * ny * nz), rows(ny, 2 * nz);
  for (std::size_t x = 0; x < nx; ++x) {
    const std::size_t* offset = planes.from_zero() + x;
    Plane plane;
    plane.start = x * ny * nz;
    plane.here = in + *offset;
    for (int m = 1; m <= stencil_reach; ++m) {
      plane.up[m - 1] = in + offset[m];
      plane.down[m - 1] = in + offset[-m];
    }
    plane.rows = rows.from_zero();
    update(plane);
  }
}

// Rows along z with their periodic points before and behind.
class PaddedRows {
 public:
  static constexpr std::size_t halo = 2 * stencil_reach;

  PaddedRows(std::size_t rows, std::size_t points)
      : rows_(rows), numbers_(2 * points), memory_(rows * pitch()) {}

  std::size_t pitch() const { return numbers_ + 2 * halo; }
  const double* first() const { return memory_.data() + halo; }

  void fill(const double* from) {
    for (std::size_t row = 0; row < rows_; ++row, from += numbers_) {
      double* to = memory_.data() + row * pitch();
      std::copy_n(from + numbers_ - halo, halo, to);
      std::copy_n(from, numbers_, to + halo);
      std::copy_n(from, halo, to + halo + numbers_);
    }
  }

 private:
  std::size_t rows_, numbers_;
  std::vector<double> memory_;
};

// Throws a UserError where an axis has fewer points than the stencil reaches.
void require_reach(const Grid& grid);
void run_compiler(const Problem& problem);
void run_explicit(const Problem& problem);
std::string compiler_target();
std::string explicit_target();

}  // namespace hakaru::apps::electrons::stencil
