#include <gtest/gtest.h>

#include <set>

#include "native/base/require.hpp"
#include "probes/binding/topology.hpp"

namespace hakaru::probes::binding {
namespace {

std::vector<Processors> all(const Topology& topology, Policy policy, int ranks) {
  std::vector<Processors> chosen;
  for (int rank = 0; rank < ranks; ++rank) chosen.push_back(topology.chosen(policy, rank, ranks));
  return chosen;
}

// Processors 0 and 1 are of core 0, ..., 6 and 7 of core 3; cores 0 and 1 of the first socket.
class Sockets : public ::testing::Test {
 protected:
  Topology topology{"package:2 core:2 pu:2"};
};

TEST_F(Sockets, NoneIsEverything) {
  EXPECT_EQ(topology.chosen(Policy::none, 1, 2), (Processors{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(topology.cores(), 4);
  EXPECT_EQ(topology.processors(), 8);
  EXPECT_EQ(topology.core_of(5), 2);
  EXPECT_EQ(topology.core_of(8), -1);
}

TEST_F(Sockets, CompactFillsCoresOneByOne) {
  EXPECT_EQ(all(topology, Policy::compact, 3), (std::vector<Processors>{{0}, {1}, {2}}));
  EXPECT_EQ(topology.chosen(Policy::compact, 9, 10), (Processors{1}))
      << "more ranks than processors";
}

TEST_F(Sockets, ScatterUsesBothSocketsFirst) {
  EXPECT_EQ(all(topology, Policy::scatter, 2), (std::vector<Processors>{{0}, {4}}));
  std::set<int> cores;
  for (const auto& processors : all(topology, Policy::scatter, 4)) {
    ASSERT_EQ(processors.size(), 1u);
    cores.insert(topology.core_of(processors.front()));
  }
  EXPECT_EQ(cores.size(), 4u);
}

TEST_F(Sockets, NodeRankGivesWholeCores) {
  EXPECT_EQ(all(topology, Policy::node_rank, 2), (std::vector<Processors>{{0, 1}, {2, 3}}));
  EXPECT_EQ(topology.chosen(Policy::node_rank, 5, 6), (Processors{2, 3}));
}

TEST(Topology, OfThisNodeBindsAndReadsBack) {
  const Topology topology;
  const Processors before = topology.bound();
  for (const Policy policy : policies) {
    const Processors wanted = topology.chosen(policy, 0, 1);
    ASSERT_TRUE(topology.bind(wanted)) << name_of(policy);
    EXPECT_EQ(topology.bound(), wanted);
  }
  ASSERT_TRUE(topology.bind({topology.chosen(Policy::compact, 0, 1)}));
  EXPECT_EQ(topology.seen(), topology.chosen(Policy::compact, 0, 1).front());
  EXPECT_NE(topology.bound(), before.size() > 1 ? before : Processors{-1});
  topology.bind(before);
}

TEST(Topology, RefusesWhatIsNotAMachine) { EXPECT_THROW(Topology("nonsense"), base::UserError); }

TEST(Words, ListProcessors) {
  EXPECT_EQ(words({0, 4, 11}), "0 4 11");
  EXPECT_EQ(words({}), "");
}

}  // namespace
}  // namespace hakaru::probes::binding
