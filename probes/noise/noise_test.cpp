#include <gtest/gtest.h>

#include <numeric>

#include "probes/noise/quanta.hpp"
#include "probes/noise/watch.hpp"

namespace hakaru::probes::noise {
namespace {

TEST(Work, ResultIsKnownWithoutDoingIt) {
  for (std::int64_t units : {0, 1, 2, 3, 7, 100, 12345})
    EXPECT_EQ(work(17, units), work_result(17, units)) << units;
  EXPECT_NE(work_result(1, 100), work_result(1, 101));
  EXPECT_GT(units_of(1e-4), units_of(1e-6));
}

TEST(FixedWork, DoesItsWorkInEachQuantum) {
  const FixedWork found = fixed_work(30, 200);
  EXPECT_EQ(found.value, work_result(1, 30 * 200));
  ASSERT_EQ(found.seconds.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_GT(found.seconds[i], 0.0);
    if (i > 0) {
      EXPECT_NEAR(found.start_s[i], found.start_s[i - 1] + found.seconds[i - 1], 1e-12);
    }
  }
}

TEST(FixedTime, CountsWhatItDid) {
  const FixedTime found = fixed_time(20, 1e-4, 50);
  const std::int64_t chunks =
      std::accumulate(found.chunks.begin(), found.chunks.end(), found.beyond);
  EXPECT_GT(chunks, 1);
  EXPECT_EQ(found.value, work_result(1, chunks * 50));
}

TEST(Watch, FindsDetoursMadeOnPurpose) {
  const Watch found = watch(0.02, 1e-6, 10'000, {0.005, 0.01}, 2e-4);
  EXPECT_GT(found.readings, 100);
  EXPECT_GE(found.seconds, 0.02);
  int seen = 0;
  for (double at : {0.005, 0.01})
    for (const Detour& one : found.detours)
      if (one.start_s <= at + 2e-4 && one.start_s + one.length_s >= at + 2e-4) {
        EXPECT_GE(one.length_s, 1e-6);
        ++seen;
      }
  EXPECT_EQ(seen, 2);
}

TEST(Watch, KeepsNoMoreThanThereIsRoomForAndSaysSo) {
  const Watch found = watch(0.02, 1e-6, 1, {0.005, 0.01, 0.015}, 1e-4);
  EXPECT_EQ(found.detours.size(), 1u);
  EXPECT_GE(found.left_out, 2);
  EXPECT_GT(found.left_out_s, 1.5e-4);
}

}  // namespace
}  // namespace hakaru::probes::noise
