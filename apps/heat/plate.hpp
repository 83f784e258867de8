// The part of the plate that one rank holds: a rectangle of cells with a frame of one halo cell.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "native/base/aligned.hpp"

namespace hakaru::apps::heat {

inline constexpr double courant = 0.125;  // r = dt / h^2; stable up to 1/4

enum Side { west, east, south, north };
inline constexpr std::array<Side, 4> sides = {west, east, south, north};
constexpr Side opposite(Side side) { return static_cast<Side>(side ^ 1); }

// Where a rank's rectangle lies; known without MPI. Ranks are numbered along x first.
struct Place {
  std::int64_t n;                // cells of the whole plate in each direction
  int columns, rows;             // of the process grid
  std::array<int, 4> neighbour;  // by side; -1 at the edge of the plate
  std::int64_t first_x, first_y, width, height;

  Place(std::int64_t n, int rank, int ranks);
  // Cells of the line that is sent over a side.
  std::int64_t edge(Side side) const { return side == west || side == east ? height : width; }
};

// columns x rows = ranks with columns >= rows as near as can be.
std::array<int, 2> process_grid(int ranks);

// What `steps` steps leave of the first state's height: the mode's shape stays.
double height_after(std::int64_t n, std::int64_t steps);
// Steps after which the height is 1e-280. Soon beyond it the plate holds subnormal numbers, on
// which many processors take ten times as long.
std::int64_t most_steps(std::int64_t n);

class Plate {
 public:
  // As start() leaves it.
  explicit Plate(const Place& place);

  // u = sin(pi x) sin(pi y) at the cells' centres x = (i + 1) h, h = 1 / (n + 1).
  void start();

  const Place& place() const { return place_; }
  double& at(std::int64_t x, std::int64_t y) { return now_[index(x, y)]; }
  double at(std::int64_t x, std::int64_t y) const { return now_[index(x, y)]; }

  // The line of own cells next to a side, and the halo line beyond it; `line` has place.edge(side)
  // values.
  void read_edge(Side side, double* line) const;
  void write_halo(Side side, const double* line);

  // u_ij += r (u_{i-1,j} + u_{i+1,j} + u_{i,j-1} + u_{i,j+1} - 4 u_ij) for own cells x in [x0, x1),
  // y in [y0, y1).
  void diffuse(std::int64_t x0, std::int64_t x1, std::int64_t y0, std::int64_t y1);
  void finish_step() { std::swap(now_, next_); }

  // Largest |u - exact| over own cells after so many steps.
  double distance_from_exact(std::int64_t steps) const;

 private:
  std::int64_t index(std::int64_t x, std::int64_t y) const {
    return (y + 1) * pitch_ + x + of_line;
  }

  static constexpr std::int64_t of_line = 8;  // cells of a cache line

  Place place_;
  // From one row to the next: own cells begin with a cache line, and an odd number of lines keeps
  // rows from the same sets of a cache.
  std::int64_t pitch_;
  std::vector<double> mode_x_, mode_y_;  // sin(pi x), sin(pi y) of own columns and rows
  base::AlignedArray<double> now_, next_;
};

}  // namespace hakaru::apps::heat
