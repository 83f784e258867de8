#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "probes/sharing/capacity.hpp"
#include "probes/sharing/copies.hpp"
#include "probes/sharing/lines.hpp"
#include "probes/sharing/locks.hpp"
#include "probes/sharing/placement.hpp"
#include "probes/sharing/topology.hpp"

namespace hakaru::probes::sharing {
namespace {

constexpr Sampling brief{2, 1e-5};
// Two packages of two memory nodes each; a node has two third-level caches of two cores.
constexpr const char* two_packages = "pack:2 node:2 l3:2 l2:2 core:1 pu:1";

std::vector<int> first_ones(int number) {
  std::vector<int> processors(static_cast<std::size_t>(number));
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

TEST(Topology, NamesWhatTwoCoresShare) {
  const Topology topology(two_packages);
  EXPECT_EQ(topology.shared_by(0, 1), "L3");
  EXPECT_EQ(topology.shared_by(0, 2), "node");
  EXPECT_EQ(topology.shared_by(0, 4), "package");
  EXPECT_EQ(topology.shared_by(0, 8), "machine");
  EXPECT_EQ(Topology("pack:1 l3:1 l2:2 core:2 pu:2").shared_by(0, 1), "core");
  EXPECT_EQ(Topology("pack:1 l3:1 l2:2 core:2 pu:2").shared_by(0, 2), "L2");
}

TEST(Topology, SeesMemoryNodes) {
  const Topology topology(two_packages);
  EXPECT_EQ(topology.nodes(), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(topology.node_of(0), 0);
  EXPECT_EQ(topology.node_of(5), 1);
  EXPECT_EQ(topology.node_of(15), 3);
  EXPECT_EQ(one_of_each_node(topology, first_ones(16)), (std::vector<int>{0, 4, 8, 12}));
}

TEST(Pairs, AreAllOrTheFirstOnes) {
  const Topology topology(two_packages);
  const auto all = pairs_of(topology, first_ones(16), 1000);
  EXPECT_EQ(all.size(), 120u);
  EXPECT_EQ(pairs_of(topology, first_ones(16), 15).size(), 15u);
  std::set<std::string> kinds;
  for (const CorePair& pair : one_of_each_kind(pairs_of(topology, first_ones(16), 15)))
    kinds.insert(pair.shares);
  EXPECT_EQ(kinds, (std::set<std::string>{"L3", "machine", "node", "package"}));
}

TEST(Plan, HasEachCoreWithEachNodeAndThePoliciesOfEachNode) {
  const Topology topology(two_packages);
  const auto found = plan(topology, first_ones(16));
  EXPECT_EQ(found.size(), 16u * 4 + 4 * 2);
  int remote = 0, interleaved = 0;
  for (const Placed& one : found) {
    remote += one.policy == Policy::bind && one.node != topology.node_of(one.processor);
    interleaved += one.policy == Policy::interleaved;
  }
  EXPECT_EQ(remote, 48);
  EXPECT_EQ(interleaved, 4);
}

TEST(Line, IsHandedOverAsOftenAsAsked) {
  const auto cores = base::distinct_cores();
  if (cores.size() < 2) return;  // a line needs two
  const LineSamples found = line_between(cores[0], cores[1], brief);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_EQ(found.seconds.size(), 2u);
}

TEST(Counters, LoseNothing) {
  const base::PinnedTeam team(base::distinct_cores());
  for (int padding : {8, 64}) EXPECT_EQ(false_sharing(team, padding, brief).wrong, 0.0);
  for (Atomic operation : {Atomic::add, Atomic::compare_and_swap, Atomic::load, Atomic::store})
    for (bool contended : {true, false})
      EXPECT_EQ(atomic_operations(team, operation, contended, brief).wrong, 0.0)
          << name_of(operation);
}

TEST(Locks, LoseNothingAndWithoutOneAdditionsAreLost) {
  const base::PinnedTeam team(base::distinct_cores());
  for (Lock lock : all_locks) EXPECT_EQ(lock_operations(team, lock, brief).wrong, 0.0);
  if (team.size() < 2) return;
  double lost = 0.0;
  for (int tries = 0; tries < 100 && lost == 0.0; ++tries)
    lost = lock_operations(team, Lock::none, {1, 1e-3}).wrong;
  EXPECT_GT(lost, 0.0);
}

TEST(Copies, ComputeWhatTheyMust) {
  const base::PinnedTeam team(base::distinct_cores());
  for (Serial program : {Serial::stencil, Serial::multiply}) {
    const CopySamples found = copies_at_once(team, program, 1 << 14, brief);
    EXPECT_EQ(found.wrong, 0.0);
    EXPECT_EQ(found.samples.size(), 2u * static_cast<std::size_t>(team.size()));
  }
}

TEST(Capacity, GoesThroughWholeChains) {
  const base::PinnedTeam team(base::distinct_cores());
  EXPECT_EQ(loads_at_once(team, 1 << 16, brief).wrong, 0.0);
  const auto sets = working_sets(1 << 16, 1 << 18);
  EXPECT_EQ(sets.size(), 9u);
  EXPECT_EQ(sets.front(), 1 << 16);
  EXPECT_EQ(sets.back(), 1 << 18);
}

TEST(Placement, MeasuresTheNodesThatAreHere) {
  const Topology here;
  for (const Placed& placed : plan(here, {base::distinct_cores().front()})) {
    const PlacementSamples found = measure(here, placed, 1 << 20, brief);
    EXPECT_EQ(found.wrong, 0.0);
    EXPECT_EQ(found.latency_s.size(), 2u);
    if (placed.node >= 0 && found.seen_node >= 0) {
      EXPECT_EQ(found.seen_node, placed.node);
    }
  }
}

}  // namespace
}  // namespace hakaru::probes::sharing
