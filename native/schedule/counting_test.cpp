#include <gtest/gtest.h>

#include "native/schedule/counting_writer.hpp"

namespace hakaru::schedule {
namespace {

const std::vector<Phase> phases = {
    {"work", "compute"}, {"halo", "communicate"}, {"io", "io"}, {"never", "compute"}};

std::vector<base::PhaseWork> count(int ranks, const std::function<void(RankWriter&)>& write) {
  return count_work(phases, ranks, write);
}

TEST(CountWork, LoopsAreMultipliedAndRanksAdded) {
  const auto counted = count(3, [](RankWriter& w) {
    w.repeat(4, [&] {
      w.phase("work", [&] { w.compute({1.0 + w.rank(), 10, 20}); });
      w.repeat(5, [&] { w.phase("halo", [&] { w.send((w.rank() + 1) % 3, 0, 8); }); });
    });
    w.repeat(0, [&] { w.phase("work", [&] { w.compute({1e9, 0, 0}); }); });
  });
  ASSERT_EQ(counted.size(), 4u);
  EXPECT_EQ(counted[0].phase, "work");
  EXPECT_EQ(counted[0].flops, 4.0 * (1 + 2 + 3));
  EXPECT_EQ(counted[0].bytes, 3 * 4 * 10.0);
  EXPECT_EQ(counted[0].bytes_write_allocate, 3 * 4 * 20.0);
  EXPECT_EQ(counted[0].calls, 12.0);
  EXPECT_EQ(counted[1].messages, 60.0);
  EXPECT_EQ(counted[1].message_bytes, 480.0);
  EXPECT_EQ(counted[1].calls, 60.0);
  EXPECT_EQ(counted[3].calls, 0.0);
}

TEST(CountWork, AReceiveIsNoMessageAndAnExchangeIsOne) {
  const auto counted = count(2, [](RankWriter& w) {
    w.phase("halo", [&] {
      w.send_receive(1 - w.rank(), 8, 1 - w.rank(), 8, 0);
      w.put(1 - w.rank(), 16, {0, 1, 4});
      w.get(1 - w.rank(), 32);
      w.flag_wait(1);
    });
  });
  EXPECT_EQ(counted[1].messages, 6.0);
  EXPECT_EQ(counted[1].message_bytes, 2 * (8.0 + 16.0 + 32.0));
}

TEST(CountWork, CollectivesFollowTheConventionInTheirCommunicator) {
  const auto counted = count(6, [](RankWriter& w) {
    const std::uint32_t pairs = w.split("pairs", [](int rank) { return rank / 2; });
    w.phase("halo", [&] {
      w.collective(Collective::allreduce, 8);
      w.collective(Collective::allreduce, 8, pairs);
      w.collective(Collective::alltoall, 100);
      w.collective_lengths(Collective::alltoall, {5, 7}, pairs);
      w.collective(Collective::barrier, 0);
      w.collective(Collective::broadcast, 1000, world, 0);
    });
  });
  EXPECT_EQ(counted[1].messages, 6.0 * (3 + 1 + 5 + 1));
  EXPECT_EQ(counted[1].message_bytes, 6.0 * (24 + 8 + 500) + 3 * (5.0 + 7.0));
}

TEST(CountWork, FilesMoveBytesAndAgreeingAboutThemIsNoMessage) {
  const auto counted = count(2, [](RankWriter& w) {
    w.phase("io", [&] {
      w.file(Kind::file_open, 0, true);
      w.file(Kind::file_write, 64, false);
      w.collective(Collective::allreduce, 4);
      w.file(Kind::file_read, 36, false);
    });
  });
  EXPECT_EQ(counted[2].bytes, 200.0);
  EXPECT_EQ(counted[2].bytes_write_allocate, 200.0);
  EXPECT_EQ(counted[2].messages, 0.0);
}

TEST(CountWork, TheInnermostPhaseCountsAndOutsideOfPhasesNothing) {
  const auto counted = count(1, [](RankWriter& w) {
    w.compute({1, 1, 1});
    w.collective(Collective::allreduce, 8);
    w.phase("work", [&] {
      w.compute({2, 0, 0});
      w.phase("never", [&] { w.compute({4, 0, 0}); });
    });
  });
  EXPECT_EQ(counted[0].flops, 2.0);
  EXPECT_EQ(counted[3].flops, 4.0);
  EXPECT_EQ(counted[1].messages, 0.0);
}

TEST(CountWork, WhatIsAlikeIsWrittenOnceAndWhatIsSaidIsBelieved) {
  int written = 0, said = 0;
  const auto counted = count(1, [&](RankWriter& w) {
    w.phase("halo", [&] {
      w.each(1000, [&](std::uint64_t i) {
        ++written;
        w.put(0, 8, {0, static_cast<std::int32_t>(1 + i), 0});
      });
      w.messages(5, 50, [&] { ++said; });
    });
  });
  EXPECT_EQ(written, 1);
  EXPECT_EQ(said, 0);
  EXPECT_EQ(counted[1].messages, 1005.0);
  EXPECT_EQ(counted[1].message_bytes, 8050.0);
}

}  // namespace
}  // namespace hakaru::schedule
