#include <gtest/gtest.h>

#include "native/parallel/test_main.hpp"
#include "probes/overlap/loads.hpp"
#include "probes/overlap/progress.hpp"
#include "probes/overlap/ways.hpp"

namespace hakaru::probes::overlap {
namespace {

TEST(Ways, EveryOneDeliversInEveryIteration) {
  const auto world = parallel::Communicator::world();
  for (const Way way : all_ways())
    for (const std::int64_t n : {1, 7, 1000})
      for (const bool loaded : {false, true}) {
        const Outcome outcome = run_program(world, way, n, 4, loaded);
        EXPECT_EQ(outcome.wrong, 0) << name_of(way) << ' ' << n;
        EXPECT_GT(outcome.seconds, 0.0);
      }
}

TEST(Ways, SpoiledDataAreFound) {
  const auto world = parallel::Communicator::world();
  for (const Way way : all_ways())
    EXPECT_GT(world.sum(run_program(world, way, 5, 3, true, true).wrong), 0) << name_of(way);
}

TEST(Loads, OldDataAreFound) {
  std::vector<double> a(10), b(10);
  fill(a, 3);
  work_after(a, b, 1, 4);
  EXPECT_EQ(wrong_elements(a, b, 3, 1, 4), 0);
  EXPECT_EQ(wrong_elements(a, b, 4, 1, 4), 10);
  EXPECT_EQ(wrong_elements(a, b, 3, 2, 4), 10);
}

TEST(Loads, WorkBeforeGrowsAsItsProduct) {
  // a = r prod_i prod_j (1 + 1 / (i + j)) = r prod_i (i + N + 1) / (i + 1)
  std::vector<double> a(6);
  work_before(a, 2);
  EXPECT_NEAR(a[3], 2.0 * (8.0 / 2.0) * (9.0 / 3.0), 1e-12);
}

TEST(Loads, WorkIsTheSameOnEveryRank) {
  for (int rank = 0; rank < 5; ++rank)
    EXPECT_EQ(flops_before(9, rank) + flops_after(9, rank, 5), 2.0 * 5 * 81);
}

TEST(Progress, TimesAndBytesAreThere) {
  const auto world = parallel::Communicator::world();
  const auto both = world.split(world.rank() < 2 ? 0 : -1, world.rank());
  if (world.size() < 2 || both.size() != 2) return;
  for (const Side side : {Side::sender, Side::receiver})
    for (const int tests : {0, 3})
      for (const std::int64_t bytes : {1, 100'000}) {
        const Progress found = measure_progress(both, side, bytes, tests, 2.0);
        EXPECT_EQ(found.wrong, 0);
        EXPECT_GE(found.compute_s, 1e-6);
        EXPECT_GE(found.wait_s, 0.0);
        EXPECT_EQ(measure_progress(both, side, bytes, tests, 2.0, true).wrong, 1);
      }
}

}  // namespace
}  // namespace hakaru::probes::overlap

HAKARU_MPI_TEST_MAIN()
