#include "apps/himeno/decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hakaru::apps::himeno {
namespace {

constexpr std::int64_t line_bytes = 64;
// Keeps rows of neighbouring planes out of one cache set when planes are a power of two.
constexpr std::int64_t plane_padding_lines = 3;

}  // namespace

Range interior_part(std::int64_t points, int part, int parts) {
  const base::Share share = base::share_of(points - 2, part, parts);
  return {1 + share.first, share.count};
}

Shape::Shape(std::int64_t x_, std::int64_t y_, std::int64_t z_, std::int64_t word_bytes_)
    : x(x_), y(y_), z(z_), word_bytes(word_bytes_) {
  const std::int64_t line = line_bytes / word_bytes;
  pitch = (x + 2 + line - 1) / line * line;
  plane = (y + 2) * pitch + plane_padding_lines * line;
}

Face Shape::face(int axis) const {
  if (axis == 0) return {z, plane, y, pitch, 1};
  if (axis == 1) return {z, plane, 1, 0, x + 2};
  return {1, 0, 1, 0, (y + 2) * pitch};
}

Region Decomposition::region(int rank) const {
  const int x = rank % ranks_[0], y = rank / ranks_[0] % ranks_[1],
            z = rank / ranks_[0] / ranks_[1];
  Region region{interior_part(grid_.x, x, ranks_[0]),
                interior_part(grid_.y, y, ranks_[1]),
                interior_part(grid_.z, z, ranks_[2]),
                {-1, -1, -1},
                {-1, -1, -1}};
  if (x > 0) region.below[0] = rank_at(x - 1, y, z);
  if (y > 0) region.below[1] = rank_at(x, y - 1, z);
  if (z > 0) region.below[2] = rank_at(x, y, z - 1);
  if (x + 1 < ranks_[0]) region.above[0] = rank_at(x + 1, y, z);
  if (y + 1 < ranks_[1]) region.above[1] = rank_at(x, y + 1, z);
  if (z + 1 < ranks_[2]) region.above[2] = rank_at(x, y, z + 1);
  return region;
}

Wish wish_of(const base::Parameters& parameters) {
  const std::string& name = parameters.text("decomposition");
  auto fixed = [&](const char* axis) { return static_cast<int>(parameters.integer(axis)); };
  return {name == "auto" ? 0 : name[0] - '0',
          {fixed("ranks_x"), fixed("ranks_y"), fixed("ranks_z")}};
}

Choice choose_ranks(const Grid& grid, int ranks, const Wish& wish) {
  const Ranks most{static_cast<int>(std::min<std::int64_t>(grid.x - 2, ranks)),
                   static_cast<int>(std::min<std::int64_t>(grid.y - 2, ranks)),
                   static_cast<int>(std::min<std::int64_t>(grid.z - 2, ranks))};
  auto allowed = [&](const Ranks& tried) {
    for (int axis = 0; axis < 3; ++axis) {
      if (tried[axis] > most[axis]) return false;
      if (wish.ranks[axis] ? tried[axis] != wish.ranks[axis]
                           : wish.dimensions && axis < 3 - wish.dimensions && tried[axis] > 1)
        return false;
    }
    return true;
  };
  Choice best;
  using Cost = std::tuple<double, double, int, int>;
  Cost best_cost;
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y) continue;
      const Ranks tried{x, y, ranks / x / y};
      if (!allowed(tried)) continue;
      const Cost cost =
          wish.dimensions ? Cost{static_cast<double>(x) + y + tried[2], 0.0, x, y}
                          : Cost{x > 1,
                                 2.0 * ((x - 1.0) * grid.y * grid.z + (y - 1.0) * grid.x * grid.z +
                                        (tried[2] - 1.0) * grid.x * grid.y),
                                 x, y};
      if (best.ranks[0] && best_cost <= cost) continue;
      best.ranks = tried;
      best_cost = cost;
    }
  }
  if (!best.ranks[0])
    best.refusal = fmt::format(
        "{} ranks cannot divide the {} x {} x {} interior points with decomposition={} and "
        "ranks_x, ranks_y, ranks_z = {}, {}, {} "
        "(each rank needs at least one interior point along every axis)",
        ranks, grid.x - 2, grid.y - 2, grid.z - 2,
        wish.dimensions ? fmt::format("{}d", wish.dimensions) : "auto", wish.ranks[0],
        wish.ranks[1], wish.ranks[2]);
  return best;
}

}  // namespace hakaru::apps::himeno
