#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "native/parallel/groups.hpp"
#include "probes/messages/collective.hpp"
#include "probes/messages/experiments.hpp"
#include "probes/messages/halves.hpp"
#include "probes/messages/pattern.hpp"
#include "probes/messages/placement.hpp"
#include "probes/messages/rounds.hpp"
#include "probes/messages/sizes.hpp"

namespace hakaru::probes::messages {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST(Sizes, AreThoseOfImb) {
  EXPECT_EQ(powers_of_two(8), (Sizes{0, 1, 2, 4, 8}));
  EXPECT_EQ(powers_of_two(9), (Sizes{0, 1, 2, 4, 8, 9}));
  EXPECT_EQ(powers_of_two(0), (Sizes{0}));
  EXPECT_EQ(powers_of_two(std::int64_t{4} << 20).size(), 24u);
}

TEST(Sizes, PiecesAreShorterThanTheirMessage) {
  EXPECT_EQ(pieces_of(64), (Sizes{8})) << "libraries send such data by a way of their own";
  EXPECT_EQ(pieces_of(1 << 10), (Sizes{8, 64, 512}));
  EXPECT_EQ(pieces_of(32 << 10), (Sizes{8, 64, 512, 4096}));
  EXPECT_EQ(pieces_of(1 << 20), (Sizes{8, 64, 512, 4096}));
  EXPECT_TRUE(pieces_of(2 << 10).empty());
}

TEST(Sizes, GeometricOnesAscendAndContainThePowersOfTwo) {
  const Sizes sizes = geometric_sizes(1 << 16, 4);
  EXPECT_EQ(sizes.front(), 1);
  EXPECT_EQ(sizes.back(), 1 << 16);
  for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_LT(sizes[i - 1], sizes[i]);
  for (std::int64_t bytes = 1; bytes <= 1 << 16; bytes *= 2)
    EXPECT_NE(std::find(sizes.begin(), sizes.end(), bytes), sizes.end()) << bytes;
  EXPECT_EQ(geometric_sizes(1, 4), (Sizes{1}));
}

TEST(Sizes, RoundTripsAreLinearBetweenWhatIsKnown) {
  const std::vector<RoundTrip> known{{1, 2.0}, {3, 4.0}, {5, 10.0}};
  EXPECT_DOUBLE_EQ(round_trip_s(known, 1), 2.0);
  EXPECT_DOUBLE_EQ(round_trip_s(known, 2), 3.0);
  EXPECT_DOUBLE_EQ(round_trip_s(known, 7), 16.0);
  EXPECT_DOUBLE_EQ(trains_s(known, 1, 16, 4), 22 * 2.0);
  EXPECT_DOUBLE_EQ(trains_s(known, 3, 16, 4), 22 * 4.0 + 15 * 1.0);
}

TEST(Sizes, SlowMessagesAreThinnedOutButReachFar) {
  const std::int64_t longest = 4 << 20;
  const auto of = [](double seconds) {
    return std::vector<RoundTrip>{{1, seconds}, {1 << 20, 2 * seconds}};
  };
  const Thinning fast = affordable(of(1e-6), longest, 4, 16, 1.0);
  EXPECT_EQ(fast.above_per_octave, 4);
  EXPECT_EQ(fast.spaced, 16);
  EXPECT_EQ(thinned_sizes(longest, fast), geometric_sizes(longest, 4));
  const Thinning slow = affordable(of(2e-3), longest, 4, 16, 1.6);
  EXPECT_EQ(slow.below_per_octave, 1);
  EXPECT_EQ(slow.spaced, 4);
  double sum_s = 0.0;
  const Sizes sizes = thinned_sizes(longest, slow);
  for (std::int64_t bytes : sizes)
    if (bytes <= 256 << 10) sum_s += trains_s(of(2e-3), bytes, 16, slow.spaced);
  EXPECT_LE(sum_s, 1.6);
  for (std::int64_t bytes = 1; bytes <= longest; bytes *= 2)
    EXPECT_NE(std::find(sizes.begin(), sizes.end(), bytes), sizes.end()) << bytes;
  EXPECT_EQ(affordable(of(10.0), longest, 4, 16, 1.0).above_per_octave, 1);
}

TEST(Sizes, AreReadFromAList) {
  EXPECT_EQ(parse_sizes("1024,8,8", 4096), (Sizes{8, 1024}));
  EXPECT_EQ(parse_sizes("0", 4096), (Sizes{0}));
  for (const char* list : {"", "8,", "8,,9", "8 ,9", "-1", "4097", "x", "1e3"}) {
    const auto sizes = parse_sizes(list, 4096);
    if (std::string(list) == "8,")
      EXPECT_EQ(sizes, (Sizes{8}));
    else
      EXPECT_FALSE(sizes) << list;
  }
}

TEST(Sizes, GroupsArePowersOfTwoAndAllRanks) {
  EXPECT_EQ(parallel::group_sizes(1), (std::vector<int>{}));
  EXPECT_EQ(parallel::group_sizes(2), (std::vector<int>{2}));
  EXPECT_EQ(parallel::group_sizes(6), (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(parallel::group_sizes(8), (std::vector<int>{2, 4, 8}));
}

TEST(Pattern, ShowsEveryFlippedBitAndEveryShift) {
  std::vector<char> data(4096 + 64);
  fill_pattern(data.data(), 4096, 7);
  EXPECT_EQ(wrong_bytes(data.data(), 4096, 7), 0);
  data[1234] ^= 1;
  EXPECT_EQ(wrong_bytes(data.data(), 4096, 7), 1);
  data[1234] ^= 1;
  EXPECT_GT(wrong_bytes(data.data(), 4096, 8), 3900);
  for (int shift : {1, 2, 8, 64})
    EXPECT_GT(wrong_bytes(data.data() + shift, 4000, 7), 3500) << shift;
}

TEST(Plan, UsesTheBudgetAndNotMuchMore) {
  const std::vector<Cost> costs{{1e-6, 1e-5}, {1e-5, 0}, {1e-3, 1e-3}, {1e-2, 0}};
  const std::vector<int> most{1000, 1000, 1000, 1000};
  const Plan plan = plan_rounds(costs, most, {2.0, 20});
  ASSERT_EQ(plan.points, 4u);
  EXPECT_GE(plan.rounds, 5);
  double round_s = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GE(plan.iterations[i], 1);
    EXPECT_LE(plan.iterations[i], 1000);
    round_s += plan.iterations[i] * costs[i].iteration_s + costs[i].around_s;
  }
  EXPECT_LE(plan.rounds * round_s, 2.0 * 1.01);
}

TEST(Plan, DropsLongMessagesThatLeaveNoTime) {
  const Plan plan =
      plan_rounds({{1e-6, 0}, {1e-3, 0}, {0.1, 0.4}, {1.0, 0}}, {9, 9, 9, 9}, {1.0, 25});
  EXPECT_EQ(plan.points, 2u);
  EXPECT_EQ(plan.iterations[0], 9);
}

TEST(Plan, KeepsOnePointAndOneRoundHoweverSlow) {
  const Plan plan = plan_rounds({{100.0, 0}, {200.0, 0}}, {9, 9}, {1.0, 25});
  EXPECT_EQ(plan.points, 1u);
  EXPECT_EQ(plan.iterations, (std::vector<int>{1}));
  EXPECT_EQ(plan.rounds, 1);
}

TEST(Plan, OfNothingIsNothing) { EXPECT_EQ(plan_rounds({}, {}, {1.0, 5}).rounds, 0); }

Placement at(const std::string& host, int package, int processor) {
  Placement placement;
  placement.host = host;
  placement.package = package;
  placement.processor = placement.core = processor;
  placement.caches = {"1:" + std::to_string(processor), "3:" + std::to_string(processor / 2)};
  return placement;
}

TEST(Placement, NamesTheLevelBetweenTwoRanks) {
  EXPECT_EQ(level_between(at("a", 0, 0), at("a", 0, 1), "node"), "core");
  EXPECT_EQ(level_between(at("a", 0, 0), at("a", 1, 4), "node"), "socket");
  EXPECT_EQ(level_between(at("a", 0, 0), at("b", 0, 0), "node"), "node");
  EXPECT_EQ(level_between(at("a", 0, 0), at("b", 0, 0), "switch"), "switch");
}

TEST(Placement, ChoosesOnePairOfEveryLevel) {
  const std::vector<Placement> ranks{at("a", 0, 0), at("a", 0, 1), at("a", 1, 4), at("b", 0, 0),
                                     at("b", 0, 1)};
  const auto pairs = choose_pairs(ranks, "node");
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].level, "core");
  EXPECT_EQ(pairs[1].second, 2);
  EXPECT_EQ(pairs[2].second, 3);
  EXPECT_EQ(widest_level(ranks, 2, "node"), "core");
  EXPECT_EQ(widest_level(ranks, 3, "node"), "socket");
  EXPECT_EQ(widest_level(ranks, 5, "switch"), "switch");
  EXPECT_TRUE(choose_pairs({at("a", 0, 0)}, "node").empty());
}

TEST(Placement, FindsTheSharedCache) {
  EXPECT_EQ(shared_cache_level(at("a", 0, 0), at("a", 0, 1)), 3);
  EXPECT_EQ(shared_cache_level(at("a", 0, 0), at("a", 0, 2)), 0);
  EXPECT_EQ(shared_cache_level(at("a", 0, 0), at("a", 0, 0)), 1);
  EXPECT_EQ(shared_cache_level(at("a", 0, 0), at("b", 0, 0)), 0);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

TEST(Placement, ReadsTheKernelsTopology) {
  std::string name = (std::filesystem::temp_directory_path() / "hakaru-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  for (int processor = 0; processor < 1024; ++processor) {
    const auto folder = std::filesystem::path(name) / ("cpu" + std::to_string(processor));
    write(folder / "topology/physical_package_id", "3");
    write(folder / "topology/core_id", "5");
    write(folder / "cache/index0/level", "1");
    write(folder / "cache/index0/type", "Instruction");
    write(folder / "cache/index1/level", "2");
    write(folder / "cache/index1/type", "Unified");
    write(folder / "cache/index1/shared_cpu_list", "0-7");
    if (processor >= static_cast<int>(sysconf(_SC_NPROCESSORS_CONF))) break;
  }
  const Placement placement = observe_placement(name);
  EXPECT_EQ(placement.package, 3);
  EXPECT_EQ(placement.core, 5);
  EXPECT_EQ(placement.caches, (std::vector<std::string>{"2:0-7"}));
  const Placement copy = placement_from_json(to_json(placement));
  EXPECT_EQ(copy.host, placement.host);
  EXPECT_EQ(copy.caches, placement.caches);
  std::filesystem::remove_all(name);
  const Placement blind = observe_placement("/nonexistent");
  EXPECT_EQ(blind.package, -1);
  EXPECT_TRUE(blind.caches.empty());
}

TEST(Collective, SizesSuitTheOperation) {
  EXPECT_EQ(sizes_of(Operation::barrier, 1 << 20, 4), (Sizes{0}));
  EXPECT_EQ(sizes_of(Operation::allreduce, 32, 4), (Sizes{8, 16, 32}));
  EXPECT_EQ(sizes_of(Operation::broadcast, 8, 4), (Sizes{1, 2, 4, 8}));
  EXPECT_EQ(sizes_of(Operation::alltoall, 1 << 20, 2).back(), 1 << 20);
  EXPECT_LE(sizes_of(Operation::alltoall, 1 << 20, 65536).back() * 65536, std::int64_t{64} << 20);
  for (int ranks : {1, 2, 3, 1000})
    EXPECT_GE(buffer_bytes(1 << 20, ranks),
              sizes_of(Operation::alltoall, 1 << 20, ranks).back() * ranks);
}

TEST(Collective, CountsTraffic) {
  EXPECT_EQ(traffic_of(Operation::alltoall, 8, 4).messages, 12.0);
  EXPECT_EQ(traffic_of(Operation::alltoall, 8, 4).bytes, 96.0);
  EXPECT_EQ(traffic_of(Operation::bisection, 8, 5).messages, 4.0);
  EXPECT_EQ(traffic_of(Operation::neighbours, 8, 3).messages, 6.0);
}

TEST(PingPong, IterationsFollowImb) {
  EXPECT_EQ(imb_iterations(0), 1000);
  EXPECT_EQ(imb_iterations(40'000), 1000);
  EXPECT_EQ(imb_iterations(4'000'000), 10);
  EXPECT_EQ(imb_iterations(std::int64_t{1} << 30), 1);
}

TEST(Halves, HaveAnEvenNumberOfExchangesEachAndOneMoreMessageBetween) {
  const auto counts = [](int iterations) {
    std::vector<int> found;
    const double mean_s = mean_of_halves(
        iterations, [&] { found.push_back(-1); },
        [&](int count) {
          found.push_back(count);
          return count * (found.size() == 1 ? 1.0 : 3.0);
        });
    EXPECT_EQ(mean_s, found.size() == 1 ? 1.0 : 2.0);
    return found;
  };
  EXPECT_EQ(counts(1), (std::vector<int>{2}));
  EXPECT_EQ(counts(2), (std::vector<int>{2, -1, 2}));
  EXPECT_EQ(counts(3), (std::vector<int>{4, -1, 4}));
}

}  // namespace
}  // namespace hakaru::probes::messages
