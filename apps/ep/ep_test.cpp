#include <gtest/gtest.h>

#include "apps/ep/deviates.hpp"
#include "apps/ep/problem.hpp"
#include "apps/ep/random.hpp"

namespace hakaru::apps::ep {
namespace {

TEST(Random, LeapsEqualSteps) {
  std::uint64_t state = seed;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(state_at(k), state);
    state = static_cast<std::uint64_t>(static_cast<unsigned __int128>(state) * multiplier %
                                       (std::uint64_t{1} << modulus_bits));
  }
}

TEST(Random, PeriodIsTwoToThe44) {
  EXPECT_EQ(power(std::uint64_t{1} << 44), 1u);
  EXPECT_NE(power(std::uint64_t{1} << 43), 1u);
}

TEST(Deviates, VectorsAgreeWithThePlainLoop) {
  for (const std::int64_t batch : {0, 1, 77, 4095, 16383}) {
    Tally vectors, plain;
    tally_batch(batch, vectors);
    tally_batch_plainly(batch, plain);
    EXPECT_EQ(vectors.counts, plain.counts);
    EXPECT_NEAR(vectors.x.value(), plain.x.value(), 1e-9);
    EXPECT_NEAR(vectors.y.value(), plain.y.value(), 1e-9);
  }
}

TEST(Deviates, AcceptedPairsAreACirclesShareOfTheSquare) {
  Tally tally;
  for (std::int64_t batch = 0; batch < 16; ++batch) tally_batch(batch, tally);
  EXPECT_NEAR(static_cast<double>(tally.accepted()), 16.0 * batch_pairs * 0.785398, 3000.0);
}

TEST(Deviates, ATallyAddsUp) {
  Tally both, first, second;
  tally_batch(3, both);
  tally_batch(4, both);
  tally_batch(3, first);
  tally_batch(4, second);
  first.add(second);
  EXPECT_EQ(both.counts, first.counts);
  EXPECT_EQ(both.x.value(), first.x.value());
}

TEST(Problem, PublishedCountsAreThePublishedNumberOfPairs) {
  const auto sum = [](int bits) {
    std::int64_t total = 0;
    const Published known = published(bits).value();
    for (const std::int64_t count : known.counts) total += count;
    return total;
  };
  EXPECT_EQ(sum(24), 13176389);
  EXPECT_EQ(sum(28), 210832767);
  EXPECT_FALSE(published(20));
}

TEST(Problem, EveryBatchBelongsToOneRank) {
  for (const int ranks : {1, 3, 5, 64}) {
    std::int64_t next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const base::Share share = batches_of_rank(20, rank, ranks);
      EXPECT_EQ(share.first, next);
      next += share.count;
    }
    EXPECT_EQ(next, 16);
  }
}

}  // namespace
}  // namespace hakaru::apps::ep
