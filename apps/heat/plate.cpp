#include "apps/heat/plate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "native/base/share.hpp"

namespace hakaru::apps::heat {

std::array<int, 2> process_grid(int ranks) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0) --rows;
  return {ranks / rows, rows};
}

Place::Place(std::int64_t n_, int rank, int ranks) : n(n_) {
  const auto grid = process_grid(ranks);
  columns = grid[0];
  rows = grid[1];
  const int column = rank % columns, row = rank / columns;
  neighbour = {column > 0 ? rank - 1 : -1, column + 1 < columns ? rank + 1 : -1,
               row > 0 ? rank - columns : -1, row + 1 < rows ? rank + columns : -1};
  const base::Share x = base::share_of(n, column, columns), y = base::share_of(n, row, rows);
  first_x = x.first;
  first_y = y.first;
  width = x.count;
  height = y.count;
}

namespace {

// Logarithm of what a step multiplies the mode by: each direction contributes -4 r sin^2(pi h / 2).
// By log1p: 1 - 10^-6 is rounded, and a power of a million steps shows it.
double log_of_step(std::int64_t n) {
  const double half = std::sin(0.5 * std::numbers::pi / static_cast<double>(n + 1));
  return std::log1p(-8.0 * courant * half * half);
}

std::vector<double> mode(std::int64_t n, std::int64_t first, std::int64_t count) {
  const double angle = std::numbers::pi / static_cast<double>(n + 1);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) values[i] = std::sin(angle * (first + i + 1));
  return values;
}

inline void diffuse_row(const double* now, double* next, std::int64_t pitch, std::int64_t x0,
                        std::int64_t x1) {
#pragma omp simd
  for (std::int64_t x = x0; x < x1; ++x)
    next[x] = now[x] +
              courant * (now[x - 1] + now[x + 1] + now[x - pitch] + now[x + pitch] - 4.0 * now[x]);
}

}  // namespace

double height_after(std::int64_t n, std::int64_t steps) {
  return std::exp(static_cast<double>(steps) * log_of_step(n));
}

std::int64_t most_steps(std::int64_t n) {
  return static_cast<std::int64_t>(std::log(1e-280) / log_of_step(n));
}

Plate::Plate(const Place& place)
    : place_(place),
      pitch_(((place.width / of_line + 2) | 1) * of_line),
      mode_x_(mode(place.n, place.first_x, place.width)),
      mode_y_(mode(place.n, place.first_y, place.height)),
      now_(pitch_ * (place.height + 2)),
      next_(now_.size()) {
  start();
}

void Plate::start() {
#pragma omp parallel for
  for (std::int64_t y = 0; y < place_.height; ++y)
    for (std::int64_t x = 0; x < place_.width; ++x) at(x, y) = mode_x_[x] * mode_y_[y];
}

void Plate::read_edge(Side side, double* line) const {
  const std::int64_t x = side == east ? place_.width - 1 : 0;
  const std::int64_t y = side == north ? place_.height - 1 : 0;
  if (side == west || side == east)
    for (std::int64_t i = 0; i < place_.height; ++i) line[i] = at(x, i);
  else
    std::copy_n(&now_[index(0, y)], place_.width, line);
}

void Plate::write_halo(Side side, const double* line) {
  const std::int64_t x = side == east ? place_.width : -1;
  const std::int64_t y = side == north ? place_.height : -1;
  if (side == west || side == east)
    for (std::int64_t i = 0; i < place_.height; ++i) at(x, i) = line[i];
  else
    std::copy_n(line, place_.width, &now_[index(0, y)]);
}

// The lines that the next row takes from memory are asked for a row ahead: fetching ahead by itself
// starts anew with every row, about a latency late.
void Plate::diffuse(std::int64_t x0, std::int64_t x1, std::int64_t y0, std::int64_t y1) {
  const std::int64_t pitch = pitch_;
#pragma omp parallel for
  for (std::int64_t y = y0; y < y1; ++y) {
    const double* now = &now_[index(0, y)];
    double* next = &next_[index(0, y)];
    std::int64_t x = x0;
    for (; x + of_line <= x1; x += of_line) {
      __builtin_prefetch(now + x + 2 * pitch);
      __builtin_prefetch(next + x + pitch, 1);
      diffuse_row(now, next, pitch, x, x + of_line);
    }
    diffuse_row(now, next, pitch, x, x1);
  }
}

double Plate::distance_from_exact(std::int64_t steps) const {
  const double height = height_after(place_.n, steps);
  double worst = 0.0;
  for (std::int64_t y = 0; y < place_.height; ++y)
    for (std::int64_t x = 0; x < place_.width; ++x) {
      const double exact = height * mode_x_[x] * mode_y_[y];
      worst = std::max(worst, std::abs(at(x, y) - exact));
    }
  return worst;
}

}  // namespace hakaru::apps::heat
