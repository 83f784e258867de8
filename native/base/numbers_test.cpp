#include <gtest/gtest.h>

#include "native/base/doubling.hpp"
#include "native/base/mixed_bits.hpp"
#include "native/base/nas_random.hpp"
#include "native/base/share.hpp"

namespace hakaru::base {
namespace {

TEST(Share, PartsFollowEachOtherAndDifferByAtMostOne) {
  for (const std::int64_t length : {0, 1, 7, 100})
    for (const std::int64_t parts : {1, 2, 3, 8}) {
      std::int64_t next = 0;
      for (std::int64_t part = 0; part < parts; ++part) {
        const Share share = share_of(length, part, parts);
        EXPECT_EQ(share.first, next);
        EXPECT_TRUE(share.count == length / parts || share.count == (length + parts - 1) / parts);
        next = share.end();
      }
      EXPECT_EQ(next, length);
    }
}

TEST(Doubling, RoundsAreTheLogarithmRoundedUp) {
  for (const auto& [ranks, rounds] :
       {std::pair{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}, {65536, 16}})
    EXPECT_EQ(doubling_rounds(ranks), rounds) << ranks;
}

TEST(NasRandom, LeapsEqualSteps) {
  nas::Random stepped;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(nas::Random(k).next(), stepped.next());
    EXPECT_EQ(nas::Random(k).next_state(), nas::state_at(k + 1));
  }
}

// Seed and first output of SplitMix64 as its authors' program has them.
TEST(MixedBits, AreSplitMix64s) {
  EXPECT_EQ(mixed_bits(1234567 + golden_step), 6457827717110365317u);
  EXPECT_EQ(mixed_bits(1234567 + 2 * golden_step), 3203168211198807973u);
}

}  // namespace
}  // namespace hakaru::base
