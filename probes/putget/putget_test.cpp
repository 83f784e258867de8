#include <gtest/gtest.h>

#include <set>

#include "native/parallel/groups.hpp"
#include "probes/putget/pair.hpp"

using namespace hakaru::probes::putget;

TEST(Putget, GroupsGrowToAllRanks) {
  EXPECT_TRUE(hakaru::parallel::group_sizes(1).empty());
  EXPECT_EQ(hakaru::parallel::group_sizes(2), (std::vector<int>{2}));
  EXPECT_EQ(hakaru::parallel::group_sizes(6), (std::vector<int>{2, 4, 6}));
}

TEST(Putget, KindsHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Kind kind : all_kinds()) names.insert(name_of(kind));
  EXPECT_EQ(names.size(), all_kinds().size());
  EXPECT_TRUE(is_strided(Kind::mpi_put_vector));
  EXPECT_FALSE(is_strided(Kind::flagged_put));
}
