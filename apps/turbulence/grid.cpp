#include "apps/turbulence/grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace hakaru::apps::turbulence {

std::string Grid::refuse(std::int64_t n, int ranks) {
  std::int64_t rest = n;
  for (const int factor : {2, 3, 5, 7})
    while (rest % factor == 0) rest /= factor;
  if (n % 2 != 0) return fmt::format("n = {} is odd, but two planes are transformed at a time", n);
  if (rest != 1)
    return fmt::format("n = {} has the factor {}, but only 2, 3, 5 and 7 are fast", n, rest);
  if ((n / 2) % ranks != 0)
    return fmt::format(
        "the n/2 = {} planes of the half spectrum cannot be dealt out to {} ranks evenly", n / 2,
        ranks);
  return "";
}

int Grid::reach(int n, std::int64_t other_squared) {
  const std::int64_t left = 2 * std::int64_t{n} * n - 9 * other_squared;  // 9 k^2 < left
  if (left <= 0) return -1;
  auto k = static_cast<std::int64_t>(std::sqrt(static_cast<double>(left) / 9.0));
  while (9 * k * k >= left) --k;
  while (9 * (k + 1) * (k + 1) < left) ++k;
  return static_cast<int>(k);
}

int Grid::even_divisor(int n, int most) {
  int best = 2;
  for (int candidate = 2; candidate <= most; candidate += 2)
    if (n % candidate == 0) best = candidate;
  return best;
}

namespace {
// Smallest |kx| of a block.
int nearest(int n, int width, int column) {
  const int first = column * width, last = first + width - 1;
  if (first < n / 2) return first;
  return n - last;
}
}  // namespace

bool Grid::block_retained(int n, int width, int column, int kz) {
  return nearest(n, width, column) <= reach(n, std::int64_t{kz} * kz);
}

std::vector<Block> Grid::blocks_of(int n, int rank, int ranks) {
  const int width = block_width(n);
  std::vector<Block> blocks;
  for (int plane = 0; plane < n / 2 / ranks; ++plane) {
    const int kz = rank + ranks * plane;
    for (int column = 0; column < n / width; ++column) {
      if (!block_retained(n, width, column, kz)) continue;
      const std::int64_t kx = nearest(n, width, column);
      blocks.push_back({plane, column, kz, reach(n, std::int64_t{kz} * kz + kx * kx)});
    }
  }
  return blocks;
}

Grid::Grid(int n, int rank, int ranks)
    : n_(n),
      rank_(rank),
      ranks_(ranks),
      width_(block_width(n)),
      cutoff_(reach(n, 0)),
      blocks_(blocks_of(n, rank, ranks)),
      left_(n / 2, 0),
      right_(n / 2, n / width_) {
  for (int kz = 0; kz < n / 2; ++kz) {
    while (left_[kz] < right_[kz] && block_retained(n, width_, left_[kz], kz)) ++left_[kz];
    while (right_[kz] > left_[kz] && block_retained(n, width_, right_[kz] - 1, kz)) --right_[kz];
  }
}

}  // namespace hakaru::apps::turbulence
