#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "apps/median_filter/filter.hpp"
#include "apps/median_filter/halo.hpp"
#include "apps/median_filter/image.hpp"
#include "apps/median_filter/reference.hpp"
#include "native/harness/program.hpp"
#include "native/harness/work.hpp"

namespace hakaru::apps::median_filter {
namespace {

void carry_out(const Network& network, std::vector<int>& values) {
  for (const Comparator& one : network) {
    int &low = values[static_cast<std::size_t>(one.low)],
        &high = values[static_cast<std::size_t>(one.high)];
    const int least = std::min(low, high), most = std::max(low, high);
    low = one.keep_low ? least : -1000;
    high = one.keep_high ? most : -1000;
  }
}

// A network sorts everything if it sorts all zeros and ones; of sorted lists there are few.
TEST(Network, MergesEveryPairOfSortedListsOfZerosAndOnes) {
  for (int m = 1; m <= 9; ++m)
    for (int n = 1; n <= 9; ++n) {
      Network network;
      Positions a(m), b(n);
      std::iota(a.begin(), a.end(), 0);
      std::iota(b.begin(), b.end(), m);
      const Positions order = merged(a, b, network);
      for (int ones_a = 0; ones_a <= m; ++ones_a)
        for (int ones_b = 0; ones_b <= n; ++ones_b) {
          std::vector<int> values(static_cast<std::size_t>(m + n), 0);
          std::fill(values.begin() + m - ones_a, values.begin() + m, 1);
          std::fill(values.end() - ones_b, values.end(), 1);
          carry_out(network, values);
          for (int rank = 0; rank < m + n; ++rank)
            ASSERT_EQ(values[static_cast<std::size_t>(order[static_cast<std::size_t>(rank)])],
                      rank >= m + n - ones_a - ones_b ? 1 : 0);
        }
    }
}

TEST(Network, PrunedKeepsTheRanksThatAreWanted) {
  std::mt19937 random(7);
  for (const int values : {1, 2, 3, 5, 8, 13, 27})
    for (int first = 0; first < values; first += 3) {
      const int end = std::min(values, first + 4);
      const Step step = merging(values, 1, first, end);
      const Step whole = merging(values, 1, 0, values);
      EXPECT_LE(operations(step.network), operations(whole.network));
      for (int trial = 0; trial < 50; ++trial) {
        std::vector<int> list(static_cast<std::size_t>(values));
        for (int& value : list) value = static_cast<int>(random() % 10);
        std::vector<int> sorted = list;
        std::sort(sorted.begin(), sorted.end());
        carry_out(step.network, list);
        for (int rank = first; rank < end; ++rank)
          ASSERT_EQ(
              list[static_cast<std::size_t>(step.order[static_cast<std::size_t>(rank - first)])],
              sorted[static_cast<std::size_t>(rank)]);
      }
    }
}

TEST(Network, CountsOperations) {
  EXPECT_EQ(operations(merging(3, 1, 0, 3).network), 6);
  EXPECT_EQ(operations(merging(2, 3, 0, 6).network), 12);  // Batcher's merge of 3 and 3
  EXPECT_LT(operations_of_three(), 90.0);
  EXPECT_GT(operations_of_three(), 60.0);
  EXPECT_EQ(operations_per_point({{3, 3, 3}}), operations_of_three());
  EXPECT_EQ(operations_per_point({{1, 1, 1}}), 0.0);
  EXPECT_EQ(operations_per_point({{3, 1, 1}}), 6.0);
}

TEST(Edge, ContinuesAsItsLettersSay) {
  const auto line = [](Edge edge, std::int64_t points) {
    std::string letters;
    for (std::int64_t at = -5; at < points + 5; ++at)
      letters += "abcd"[source_of(edge, at, points)];
    return letters;
  };
  EXPECT_EQ(line(Edge::nearest, 4), "aaaaaabcdddddd");
  EXPECT_EQ(line(Edge::reflect, 4), "ddcbaabcddcbaa");
  EXPECT_EQ(line(Edge::mirror, 4), "bcdcbabcdcbabc");
  EXPECT_EQ(line(Edge::wrap, 4), "dabcdabcdabcda");
  for (const Edge edge : {Edge::nearest, Edge::reflect, Edge::mirror, Edge::wrap})
    EXPECT_EQ(line(edge, 1), "aaaaaaaaaaa");
  EXPECT_EQ(source_of(Edge::constant, -1, 4), outside);
  EXPECT_EQ(source_of(Edge::constant, 3, 4), 3);
}

template <typename Value>
class Kernel : public ::testing::Test {
 public:
  void expect_reference(const Extent& extent, const Window& window, Edge edge, int threads) {
    omp_set_num_threads(threads);
    const Beyond beyond{edge, 3.0};
    const Shape shape(extent, window, sizeof(Value));
    Image<Value> image(shape, Pages::base), filtered(shape, Pages::base);
    fill(image, shape, extent, 0);
    continue_planes(image.data(), shape, beyond);
    for (const Stretch& stretch : Needs{extent.z, 1, window.z, edge}.of(0))
      continue_along_z(image.data(), shape, beyond, stretch.first, stretch.source, stretch.count);
    Filter<Value>(window).apply(shape, image.data(), filtered.data());
    const Whole<Value> expected =
        filtered_once(original<Value>(extent), window, beyond, {0, extent.z});
    for (std::int64_t z = 0; z < extent.z; ++z)
      for (std::int64_t y = 0; y < extent.y; ++y)
        for (std::int64_t x = 0; x < extent.x; ++x)
          ASSERT_EQ(filtered.data()[shape.index(x, y, z)], expected.at(x, y, z))
              << x << " " << y << " " << z << " of " << extent.x << " x " << extent.y << " x "
              << extent.z << ", window " << window.x << " x " << window.y << " x " << window.z;
  }
};
using Types = ::testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(Kernel, Types);

TYPED_TEST(Kernel, IsTheSortedWindowsMedianAtOddSizes) {
  for (const Extent& extent : {Extent{1, 1, 1}, Extent{140, 9, 5}, Extent{17, 6, 35},
                               Extent{129, 3, 2}, Extent{16, 8, 16}})
    for (const int threads : {1, 2, 3})
      this->expect_reference(extent, {{3, 3, 3}}, Edge::reflect, threads);
}

TYPED_TEST(Kernel, TakesAnyWindowAndEdge) {
  for (const Window& window : {Window{{3, 3, 3}}, Window{{5, 5, 5}}, Window{{2, 3, 4}},
                               Window{{1, 6, 1}}, Window{{9, 1, 2}}, Window{{4, 7, 3}}})
    for (const Edge edge : {Edge::nearest, Edge::reflect, Edge::mirror, Edge::wrap, Edge::constant})
      this->expect_reference({19, 10, 11}, window, edge, 2);
}

TYPED_TEST(Kernel, ADamagedPointIsSeen) {
  const Extent extent{12, 9, 7};
  const Whole<TypeParam> image = original<TypeParam>(extent);
  Whole<TypeParam> damaged = image;
  std::fill_n(damaged.values.begin(), 60, TypeParam{});
  const Beyond beyond;
  EXPECT_NE(filtered_once(image, {{3, 3, 3}}, beyond, {0, 7}).values,
            filtered_once(damaged, {{3, 3, 3}}, beyond, {0, 7}).values);
}

// Every plane that a window reaches comes from where the edge rule says, and is sent by its owner.
TEST(Needs, EveryPlaneHasOneSender) {
  for (const std::int64_t planes : {5, 8, 13})
    for (const int ranks : {1, 2, 3, 5})
      for (const std::int64_t window : {1, 2, 3, 6, 11})
        for (const Edge edge :
             {Edge::nearest, Edge::reflect, Edge::mirror, Edge::wrap, Edge::constant}) {
          const Needs needs{planes, ranks, window, edge};
          std::map<std::pair<int, int>, int> senders;
          for (int rank = 0; rank < ranks; ++rank)
            for (const Needs::Sent& one : needs.from(rank)) ++senders[{one.to, one.tag}];
          std::size_t messages = 0;
          for (int rank = 0; rank < ranks; ++rank) {
            const base::Share own = planes_of(planes, rank, ranks);
            const std::vector<Stretch> stretches = needs.of(rank);
            std::int64_t count = 0;
            for (std::size_t tag = 0; tag < stretches.size(); ++tag) {
              const Stretch& one = stretches[tag];
              count += one.count;
              for (std::int64_t i = 0; i < one.count; ++i) {
                const std::int64_t source = source_of(edge, own.first + one.first + i, planes);
                if (one.owner == nobody) {
                  EXPECT_EQ(source, outside);
                } else {
                  EXPECT_EQ(source, planes_of(planes, one.owner, ranks).first + one.source + i);
                }
              }
              if (one.owner == nobody || one.owner == rank) continue;
              ++messages;
              EXPECT_EQ((senders[{rank, static_cast<int>(tag)}]), 1);
            }
            EXPECT_EQ(count, window - 1);
          }
          EXPECT_EQ(senders.size(), messages);
        }
}

TEST(Pages, AreReadBackFromTheKernelsText) {
  const Mapping mapping(5 << 20, Pages::base);
  EXPECT_EQ(mapping.bytes(), 6u << 20);
  EXPECT_EQ(reinterpret_cast<std::size_t>(mapping.data()) % (2 << 20), 0u);
  const auto first = reinterpret_cast<std::size_t>(mapping.data());
  const std::string path = ::testing::TempDir() + "smaps";
  std::ofstream(path) << fmt::format(
      "1000-2000 rw-p 0 00:00 0\nRss: 4 kB\nAnonHugePages: 0 kB\n"
      "{:x}-{:x} rw-p 00000000 00:00 0\nRss: 5120 kB\nAnonHugePages: 4096 kB\n"
      "Private_Hugetlb: 0 kB\nVmFlags: rd wr\n",
      first, first + mapping.bytes());
  const Given read = given({&mapping}, path);
  EXPECT_EQ(read.resident, 5120.0 * 1024);
  EXPECT_EQ(read.transparent, 4096.0 * 1024);
  EXPECT_EQ(read.large, 0.0);
}

TEST(Pages, BasePagesAreBasePages) {
  const Mapping mapping(4 << 20, Pages::base);
  std::fill_n(static_cast<char*>(mapping.data()), mapping.bytes(), 1);
  const Given read = given({&mapping});
  EXPECT_EQ(read.resident, 4.0 * (1 << 20));
  EXPECT_EQ(read.transparent + read.large, 0.0);
}

TEST(Work, CountsPointsAndPlanes) {
  const auto program = harness::make_program();
  const auto description = program->describe();
  base::Parameters parameters(description);
  for (const char* word : {"nx=20", "ny=10", "nz=8", "passes=3", "values=double"})
    parameters.assign(word);
  const base::Work work = harness::work_of(*program, description, parameters, {2, 1});
  EXPECT_EQ(work.phases[2].flops, 3 * operations_of_three() * 1600);
  EXPECT_EQ(work.phases[2].bytes, 3 * 16.0 * 1600);
  EXPECT_EQ(work.phases[1].messages, 2.0 * 3);
  const Shape shape({20, 10, 4}, {{3, 3, 3}}, 8);
  EXPECT_EQ(work.phases[1].message_bytes, 2.0 * 3 * 8 * static_cast<double>(shape.plane));
}

TEST(Refusal, NamesTheReason) {
  const auto program = harness::make_program();
  const auto description = program->describe();
  const auto refusal = [&](std::initializer_list<const char*> words, int ranks) {
    base::Parameters parameters(description);
    for (const char* word : words) parameters.assign(word);
    return program->refuse(parameters, {ranks, 1});
  };
  EXPECT_EQ(refusal({}, 4), "");
  EXPECT_NE(refusal({"nz=3"}, 4).find("at least one of the 3 planes"), std::string::npos);
  EXPECT_NE(refusal({"window_x=40"}, 1).find("64000 points"), std::string::npos);
}

}  // namespace
}  // namespace hakaru::apps::median_filter
