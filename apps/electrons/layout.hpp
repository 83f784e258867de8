// How ranks share macroscopic points and k-points: `groups` of ranks hold neighbouring points each,
// and the ranks of a group share the k-points.
#pragma once

#include <string>

#include "apps/electrons/orbitals.hpp"

namespace hakaru::apps::electrons {

struct RankLayout {
  int ranks = 1, groups = 1;
  int points = 1;  // macroscopic
  int k_points = 1;

  int members() const { return ranks / groups; }
  int group_of(int rank) const { return rank / members(); }
  int member_of(int rank) const { return rank % members(); }
  Part points_of(int rank) const { return part_of(points, group_of(rank), groups); }
  Part k_points_of(int rank) const { return part_of(k_points, member_of(rank), members()); }
};

// `groups` 0: as many groups as divide the ranks and have a point each.
RankLayout layout_of(int ranks, int groups, int points, int k_points);
// Why it cannot run, or "".
std::string refuse(const RankLayout& layout);

}  // namespace hakaru::apps::electrons
