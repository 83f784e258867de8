#include "native/parallel/slab.hpp"

#include <gtest/gtest.h>

#include <map>

namespace hakaru::parallel {
namespace {

constexpr std::int64_t word = 8;

// Address -> which word of which point of the whole array.
std::map<std::int64_t, std::int64_t> words_of(const Slab& slab, int rank, std::int64_t element) {
  std::map<std::int64_t, std::int64_t> words;
  for (std::int64_t z = 0; z < slab.count(rank, along_z); ++z)
    for (std::int64_t y = 0; y < slab.count(rank, along_y); ++y)
      for (std::int64_t x = 0; x < slab.count(rank, along_x); ++x)
        for (std::int64_t at = 0; at < element; at += word)
          words[element * (x + y * slab.step(rank, along_y) + z * slab.step(rank, along_z)) + at] =
              at + element * (x + slab.range(rank, along_x).first +
                              slab.n[0] * (y + slab.range(rank, along_y).first +
                                           slab.n[1] * (z + slab.range(rank, along_z).first)));
  return words;
}

// Every word of the target is written exactly once, by the word with the same coordinates.
void expect_complete(const SlabRoute& route) {
  for (int receiver = 0; receiver < route.to.ranks; ++receiver) {
    auto expected = words_of(route.to, receiver, route.element);
    std::int64_t transfers = 0;
    for (int sender = 0; sender < route.from.ranks; ++sender) {
      auto given = words_of(route.from, sender, route.element);
      visit_pair(route, sender, receiver, [&](const SlabTransfer& t) {
        ++transfers;
        for (std::int64_t item = 0; item < t.items; ++item)
          for (std::int64_t byte = 0; byte < t.item_bytes; byte += word) {
            const auto found = expected.find(t.target + item * t.target_step + byte);
            ASSERT_NE(found, expected.end());
            EXPECT_EQ(found->second, given.at(t.source + item * t.source_step + byte));
            expected.erase(found);
          }
      });
    }
    EXPECT_TRUE(expected.empty());
    EXPECT_EQ(transfers, route.received(receiver));
  }
}

TEST(SlabRoute, CarriesEveryWordToItsPlace) {
  constexpr std::array<std::int64_t, 3> n{5, 7, 4};
  for (const int ranks : {1, 2, 3, 4})
    for (const Padding& padding : {Padding{}, Padding{1, 0, 9}, Padding{5, 4, 20}})
      for (const auto& [a, b] : {std::pair{along_z, along_y}, std::pair{along_y, along_z},
                                 std::pair{along_x, along_y}, std::pair{along_z, along_x}}) {
        const Slab from{n, a, ranks, padding}, to{n, b, ranks, padding};
        if (a != along_x && b != along_x) expect_complete({from, to, 16});
        expect_complete({from, to, 16, SlabRoute::Pieces::lines, 2});
        expect_complete({from, to, 40, SlabRoute::Pieces::lines, 1});
      }
}

TEST(SlabRoute, AllThatIsSentIsReceived) {
  for (const int ranks : {1, 3, 4})
    for (const auto pieces : {SlabRoute::Pieces::rows, SlabRoute::Pieces::lines}) {
      const SlabRoute route{{{5, 7, 4}, along_z, ranks}, {{5, 7, 4}, along_y, ranks}, 8, pieces};
      std::int64_t sent = 0, received = 0;
      for (int rank = 0; rank < ranks; ++rank)
        sent += route.sent(rank), received += route.received(rank);
      EXPECT_EQ(sent, received);
    }
}

TEST(Slab, InnerPointsLeaveTheBoundaryOut) {
  const Slab slab{{6, 5, 7}, along_z, 3};
  double inner = 0.0, all = 0.0;
  for (int rank = 0; rank < 3; ++rank) inner += slab.inner_points(rank), all += slab.points(rank);
  EXPECT_EQ(inner, 4.0 * 3.0 * 5.0);
  EXPECT_EQ(all, 6.0 * 5.0 * 7.0);
}

TEST(Slab, GapsFollowRowsOfAMultiple) {
  const Slab with{{64, 2, 3}, along_z, 1, {64, 4, 20}},
      without{{63, 2, 3}, along_z, 1, {64, 4, 20}};
  EXPECT_EQ(with.step(0, along_y), 68);
  EXPECT_EQ(with.step(0, along_z), 2 * 68 + 20);
  EXPECT_EQ(without.step(0, along_y), 63);
  EXPECT_EQ(without.elements(0), 3 * 2 * 63);
}

}  // namespace
}  // namespace hakaru::parallel
