#include "apps/electrons/layout.hpp"

#include <fmt/format.h>

namespace hakaru::apps::electrons {

RankLayout layout_of(int ranks, int groups, int points, int k_points) {
  if (groups <= 0) {
    groups = 1;
    for (int candidate = 1; candidate <= ranks && candidate <= points; ++candidate)
      if (ranks % candidate == 0) groups = candidate;
  }
  return {ranks, groups, points, k_points};
}

std::string refuse(const RankLayout& layout) {
  if (layout.groups > layout.points)
    return fmt::format("{} groups of ranks need as many macroscopic points, there are {}",
                       layout.groups, layout.points);
  if (layout.ranks % layout.groups != 0)
    return fmt::format("{} ranks do not form {} equal groups", layout.ranks, layout.groups);
  if (layout.members() > layout.k_points)
    return fmt::format("{} ranks share {} k-points (after symmetry); each rank needs at least one",
                       layout.members(), layout.k_points);
  return "";
}

}  // namespace hakaru::apps::electrons
