// What is solved: the grid, the coefficients, the initial pressure, and the residuals that are
// known.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "native/base/parameters.hpp"

namespace hakaru::apps::himeno {

// Points along each axis with the fixed boundary; x is the unit stride, z the slowest axis.
struct Grid {
  std::int64_t x = 0, y = 0, z = 0;
  double interior_points() const { return double(x - 2) * double(y - 2) * double(z - 2); }
};

constexpr double relaxation = 0.8;        // omega
constexpr double flops_per_point = 34.0;  // the benchmark's count
constexpr int coefficient_count = 12;     // a, b, c, wrk1 and bnd

// The right-hand arrays at one point: a[4], b[3], c[3], wrk1 and bnd of the benchmark.
struct Coefficients {
  std::array<double, 4> a{1.0, 1.0, 1.0, 1.0 / 6.0};
  std::array<double, 3> b{}, c{1.0, 1.0, 1.0};
  double source = 0.0, mask = 1.0;  // wrk1, bnd

  // In the order in which the kernel reads them; all zero leaves the pressure as it is.
  std::array<double, coefficient_count> in_order() const {
    return {a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], source, a[3], mask};
  }
};

// `standard` is the benchmark; `rough` varies every array from point to point, so that each of the
// 19 neighbours counts.
enum class Kind { standard, rough };

struct Problem {
  Grid grid;
  Kind kind = Kind::standard;

  // At the point with these indices counted from 0 on the boundary.
  double initial_pressure(std::int64_t x, std::int64_t y, std::int64_t z) const;
  Coefficients coefficients(std::int64_t x, std::int64_t y, std::int64_t z) const;
};

// Grid of the parameters size, nx, ny, nz.
Grid grid_of(const base::Parameters& parameters);
// Why the parameters name no grid, or "".
std::string refuse_grid(const base::Parameters& parameters);

// gosa of the last of `iterations` in exact double arithmetic, where it is known.
std::optional<double> tabulated_gosa(const std::string& size, std::int64_t iterations);

}  // namespace hakaru::apps::himeno
