#include <gtest/gtest.h>

#include "probes/threads/constructs.hpp"
#include "probes/threads/starting.hpp"
#include "probes/threads/work_unit.hpp"

namespace hakaru::probes::threads {
namespace {

TEST(Constructs, DoTheWorkTheyPromise) {
  for (int threads : {1, 2, 3, 5})
    for (Construct construct : constructs)
      for (std::int64_t inner : {1, 30}) {
        const Outcome outcome = run_construct(construct, threads, inner * threads, 1);
        EXPECT_TRUE(outcome.right()) << name_of(construct) << ' ' << threads << ": "
                                     << outcome.units << " of " << outcome.expected;
        EXPECT_GT(outcome.units, 0);
        EXPECT_GT(outcome.seconds, 0.0);
      }
}

TEST(Constructs, LostWorkIsFound) {
  Outcome outcome = run_construct(Construct::barrier, 2, 8, 1);
  --outcome.units;
  EXPECT_FALSE(outcome.right());
  outcome = run_construct(Construct::reduction, 2, 8, 1);
  outcome.reduced -= 1.0;
  EXPECT_FALSE(outcome.right());
}

TEST(Constructs, InnerRepetitionsReachTheTime) {
  for (Construct construct : constructs)
    for (int threads : {1, 2, 3}) {
      const std::int64_t inner = calibrate(construct, threads, 10, 1e-5);
      EXPECT_GE(inner, 1);
      if (construct == Construct::critical) {
        EXPECT_EQ(inner % threads, 0);
      }
    }
}

TEST(Promises, HoldAndDamageIsFound) {
  for (int threads : {1, 2, 3, 4}) {
    const Violations none = find_violations(threads, 20, false);
    EXPECT_EQ(none.loop, 0);
    EXPECT_EQ(none.barrier, 0);
    EXPECT_EQ(none.exclusion, 0);
    EXPECT_EQ(none.single, 0);
    EXPECT_EQ(none.reduction, 0);
    const Violations spoiled = find_violations(threads, 20, true);
    EXPECT_GT(spoiled.loop, 0);
    EXPECT_GT(spoiled.barrier, 0);
    EXPECT_GT(spoiled.exclusion, 0);
    EXPECT_GT(spoiled.single, 0);
    EXPECT_GT(spoiled.reduction, 0);
  }
}

TEST(Starting, EveryThreadBegins) {
  for (int threads : {1, 2, 4}) {
    const Start start = time_start(threads, 1e-5);
    EXPECT_EQ(start.begun, threads);
    EXPECT_GE(start.fork_s, 0.0);
    EXPECT_GE(start.join_s, 0.0);
    const Start created = time_creation(threads);
    EXPECT_TRUE(created.begun == threads || created.begun == 0);
  }
}

TEST(Starting, EqualWorkIsTimedOnEachThread) {
  const auto seconds = time_equal_work(3, 100, 10);
  ASSERT_EQ(seconds.size(), 3u);
  for (double time_s : seconds) EXPECT_GT(time_s, 0.0);
}

TEST(WorkUnit, CountsItself) {
  Worker worker;
  time_units(worker, 17, 3);
  EXPECT_EQ(worker.units, 17);
  EXPECT_EQ(total_units({{3, 0}, {4, 0}}), 7);
  EXPECT_GE(length_of_delay(0.0), 1);
  EXPECT_GT(length_of_delay(1e-5), length_of_delay(1e-8));
}

}  // namespace
}  // namespace hakaru::probes::threads
