#include "apps/turbulence/planes.hpp"

#include <algorithm>

namespace hakaru::apps::turbulence {

void combine(Scratch& scratch, int f, int g, int column, int first_x, int n, int row_width,
             int rows) {
  Complex* to = scratch.column(column);
  const Complex *mean_f = scratch.row(f, 0) + first_x, *mean_g = scratch.row(g, 0) + first_x;
  for (int i = 0; i < row_width; i += 2)
    store(to + i, join_real(load(mean_f + i), load(mean_g + i)));
  for (int kz = 1; kz < rows; ++kz) {
    const Complex *from_f = scratch.row(f, kz) + first_x, *from_g = scratch.row(g, kz) + first_x;
    Complex *positive = to + kz * row_width, *negative = to + (n - kz) * row_width;
    for (int i = 0; i < row_width; i += 2) {
      const Pair a = load(from_f + i), b = swapped(load(from_g + i));
      store(positive + i, a + b * Pair{-1.0, 1.0, -1.0, 1.0});
      store(negative + i, b + conjugate(a));
    }
  }
  std::fill(to + rows * row_width, to + (n - rows + 1) * row_width, Complex{});
}

void separate(Scratch& scratch, int column, int f, int g, int first_x, int n, int row_width,
              int rows) {
  const Complex* from = scratch.column(column);
  for (int kz = 0; kz < rows; ++kz) {
    const Complex *positive = from + kz * row_width,
                  *negative = from + (kz == 0 ? 0 : n - kz) * row_width;
    Complex *to_f = scratch.row(f, kz) + first_x, *to_g = scratch.row(g, kz) + first_x;
    for (int i = 0; i < row_width; i += 2) {
      const Pair h = load(positive + i), mirrored = conjugate(load(negative + i));
      store(to_f + i, h + mirrored);
      store(to_g + i, swapped(h - mirrored) * Pair{1.0, -1.0, 1.0, -1.0});
    }
  }
}

}  // namespace hakaru::apps::turbulence
