#include "native/trace/summary/summary.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "native/base/require.hpp"
#include "native/trace/reader/test_archive.hpp"

namespace hakaru::trace {
namespace {

constexpr std::uint32_t none = OTF2_UNDEFINED_UINT32;

void send(TestArchive& a, std::uint32_t rank, std::uint32_t to, std::uint32_t tag,
          std::uint64_t bytes, std::uint64_t compute, std::uint64_t duration) {
  a.call(
      rank, "MPI_Send",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(rank), to, 0, tag, bytes); },
      compute, duration);
}
void receive(TestArchive& a, std::uint32_t rank, std::uint32_t from, std::uint32_t tag,
             std::uint64_t bytes, std::uint64_t compute, std::uint64_t duration) {
  a.call(
      rank, "MPI_Recv",
      [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(rank), from, 0, tag, bytes);
      },
      compute, duration);
}

Summary of(TestArchive& a, const Marks& marks = {}) {
  return summarise(read_trace(a.close(), {.times = true, .silent_times = marks.any()}), marks);
}

double kind(const TimeByKind& times, TimeKind one) { return times[static_cast<std::size_t>(one)]; }

void silent(TestArchive& a, std::uint32_t rank, const char* name, std::uint64_t compute,
            std::uint64_t duration) {
  a.call(
      rank, name, [](OTF2_EvtWriter*) {}, compute, duration);
}

void barrier(TestArchive& a, std::uint32_t rank, std::uint64_t compute, std::uint64_t duration) {
  a.collective(rank, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0, compute, duration);
}

// Rank 1 waits for rank 0's message, then rank 0 for rank 1 at a barrier; times in ns.
void late_twice(TestArchive& a) {
  for (std::uint32_t rank : {0u, 1u}) silent(a, rank, "MPI_Init", 0, 10);
  send(a, 0, 1, 0, 8, 500, 10);      // 510 to 520
  receive(a, 1, 0, 0, 8, 100, 450);  // 110 to 560
  barrier(a, 0, 30, 150);            // 550 to 700
  barrier(a, 1, 90, 50);             // 650 to 700
  for (std::uint32_t rank : {0u, 1u}) silent(a, rank, "MPI_Finalize", 20, 1000);
}

TEST(Summary, ALateSender) {
  TestArchive a(2);
  send(a, 0, 1, 0, 8, 500, 10);      // from 500
  receive(a, 1, 0, 0, 8, 100, 450);  // from 100 to 550
  const Summary s = of(a);
  EXPECT_NEAR(s.late_senders.total_s(), 400e-9, 1e-15);
  EXPECT_NEAR(s.late_senders.by_rank[1], 400e-9, 1e-15);
  EXPECT_EQ(s.late_senders.by_calls.at({"MPI_Send", "MPI_Recv"}).count, 1u);
  EXPECT_EQ(s.late_receivers.total_s(), 0);
}

TEST(Summary, ALateReceiverOnlyWhenTheSendWasHeld) {
  TestArchive held(2), eager(2);
  send(held, 0, 1, 0, 8, 100, 500);  // until 600
  receive(held, 1, 0, 0, 8, 400, 200);
  send(eager, 0, 1, 0, 8, 100, 50);  // until 150
  receive(eager, 1, 0, 0, 8, 400, 20);
  EXPECT_NEAR(of(held).late_receivers.by_rank[0], 300e-9, 1e-15);
  EXPECT_EQ(of(eager).late_receivers.total_s(), 0);
}

TEST(Summary, WaitsAreWhereARequestWaits) {
  TestArchive a(2);
  a.call(
      1, "MPI_Irecv",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(1), 1); }, 0, 10);
  a.call(
      1, "MPI_Wait",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecv(w, nullptr, a.at(1), 0, 0, 0, 8, 1); }, 290,
      400);  // 300 to 700
  send(a, 0, 1, 0, 8, 600, 10);
  const Summary s = of(a);
  EXPECT_NEAR(s.late_senders.by_calls.at({"MPI_Send", "MPI_Wait"}).seconds, 300e-9, 1e-15);
  EXPECT_NEAR(s.ranks[1][static_cast<std::size_t>(TimeKind::wait)], 400e-9, 1e-15);
  EXPECT_NEAR(s.ranks[1][static_cast<std::size_t>(TimeKind::compute)], 290e-9, 1e-15);
}

// Ten tests of 10, 90 between them: waiting from the first one on.
TEST(Summary, APollingLoopWaits) {
  TestArchive a(2);
  a.call(
      1, "MPI_Irecv",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(1), 1); }, 0, 10);
  for (int i = 0; i < 10; ++i) {
    a.call(
        1, "MPI_Test",
        [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRequestTest(w, nullptr, a.at(1), 1); }, 90, 10);
  }
  a.call(
      1, "MPI_Test",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecv(w, nullptr, a.at(1), 0, 0, 0, 8, 1); }, 90,
      10);  // 1100 to 1110
  send(a, 0, 1, 0, 8, 100, 0);
  send(a, 0, 1, 1, 8, 900, 10);  // computes until 1000
  const Summary s = of(a);
  EXPECT_NEAR(s.late_senders.total_s(), 0, 1e-15);  // it was sent at 0
  EXPECT_NEAR(s.ranks[1][static_cast<std::size_t>(TimeKind::wait)], 1010e-9, 1e-15);
  EXPECT_NEAR(s.ranks[1][static_cast<std::size_t>(TimeKind::compute)], 90e-9, 1e-15);
  EXPECT_EQ(s.calls.at("MPI_Test").calls, 11u);
  EXPECT_NEAR(s.calls.at("MPI_Test").seconds, 1010e-9, 1e-15);
  EXPECT_NEAR(s.efficiencies.load_balance, (900 + 90) / 2.0 / 900, 1e-9);
}

TEST(Summary, WhoIsLateForAPollingLoop) {
  TestArchive a(2);
  a.call(
      1, "MPI_Irecv",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(1), 1); }, 0, 10);
  a.call(
      1, "MPI_Testany", [](OTF2_EvtWriter*) {}, 90, 10);  // from 100
  a.call(
      1, "MPI_Testany",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecv(w, nullptr, a.at(1), 0, 0, 0, 8, 1); }, 690,
      10);
  send(a, 0, 1, 0, 8, 500, 10);
  EXPECT_NEAR(of(a).late_senders.by_calls.at({"MPI_Send", "MPI_Testany"}).seconds, 400e-9, 1e-15);
}

TEST(Summary, MessagesMeetInOrderOfTagAndPosting) {
  TestArchive a(2);
  send(a, 0, 1, 1, 8, 100, 10);       // at 100
  send(a, 0, 1, 2, 16, 390, 10);      // at 500
  send(a, 0, 1, 1, 24, 490, 10);      // at 1000
  receive(a, 1, 0, 2, 16, 200, 400);  // 200 to 600: waits 300 for the second
  receive(a, 1, 0, 1, 8, 0, 10);      // the first was there
  receive(a, 1, 0, 1, 24, 90, 310);   // 700 to 1010: waits 300 for the third
  const Summary s = of(a);
  EXPECT_NEAR(s.late_senders.total_s(), 600e-9, 1e-15);
  EXPECT_EQ(s.unmatched_sends + s.unmatched_receives, 0u);
  EXPECT_EQ(s.matrix.at({0, 1}).messages, 3u);
  EXPECT_EQ(s.matrix.at({0, 1}).bytes, 48u);
}

TEST(Summary, AMissingMessageIsNoticed) {
  TestArchive a(2);
  send(a, 0, 1, 1, 8, 100, 10);
  receive(a, 1, 0, 2, 8, 100, 10);
  const Summary s = of(a);
  EXPECT_EQ(s.unmatched_sends, 1u);
  EXPECT_EQ(s.unmatched_receives, 1u);
}

TEST(Summary, WaitingAtCollectivesAndEfficiencies) {
  TestArchive a(2);
  a.collective(0, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0, 100,
               310);                                                                   // 100 to 410
  a.collective(1, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0, 400, 10);  // 400 to 410
  a.collective(0, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, TestArchive::self, none, 0, 0, 0, 90);
  const Summary s = of(a);
  EXPECT_NEAR(s.collective_wait_of_rank[0], 300e-9, 1e-15);
  EXPECT_NEAR(s.collective_wait_of_rank[1], 0, 1e-15);
  EXPECT_EQ(s.collectives.at("MPI_Barrier").count, 3u);
  // The first event of a rank is its first Enter: no computation before it.
  EXPECT_NEAR(s.efficiencies.runtime_s, 400e-9, 1e-15);
}

TEST(Summary, TheCriticalPathFollowsWhoWasWaitedFor) {
  TestArchive a(2);
  late_twice(a);
  const CriticalPath path = of(a).critical_path;
  EXPECT_NEAR(kind(path.kinds, TimeKind::collective), 50e-9, 1e-15);
  EXPECT_NEAR(kind(path.kinds, TimeKind::point_to_point), 50e-9, 1e-15);
  EXPECT_NEAR(kind(path.kinds, TimeKind::compute), (500 + 90 + 20) * 1e-9, 1e-15);
  EXPECT_NEAR(kind(path.kinds, TimeKind::other), 0, 1e-15);
  EXPECT_NEAR(path.calls.at("MPI_Recv"), 50e-9, 1e-15);
  EXPECT_NEAR(path.calls.at("MPI_Barrier"), 50e-9, 1e-15);
  EXPECT_EQ(path.messages, 2u);
}

TEST(Summary, ThePathOfOneRankIsItsOwnTime) {
  TestArchive a(1);
  silent(a, 0, "MPI_Init", 0, 10);
  silent(a, 0, "MPI_Comm_rank", 100, 30);
  barrier(a, 0, 200, 40);
  silent(a, 0, "MPI_Finalize", 5, 10);
  const CriticalPath path = of(a).critical_path;
  EXPECT_NEAR(kind(path.kinds, TimeKind::compute), 305e-9, 1e-15);
  EXPECT_NEAR(kind(path.kinds, TimeKind::collective), 40e-9, 1e-15);
  EXPECT_NEAR(kind(path.kinds, TimeKind::other), 30e-9, 1e-15);
}

TEST(Summary, InitAndFinalizeAreNoPartOfTheRunTime) {
  TestArchive a(2);
  late_twice(a);
  const Summary s = of(a);
  EXPECT_NEAR(s.efficiencies.runtime_s, 710e-9, 1e-15);
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(TimeKind::environment); ++i)
    sum += s.ranks[0][i];
  EXPECT_NEAR(sum, 710e-9, 1e-15);
  EXPECT_NEAR(kind(s.ranks[0], TimeKind::environment), 1010e-9, 1e-15);
}

TEST(Summary, BetweenMarksOnlyThatIsCounted) {
  TestArchive a(2);
  for (std::uint32_t rank : {0u, 1u}) {
    silent(a, rank, "MPI_Init", 0, 10);
    barrier(a, rank, 90, 10);                                       // returns at 110
    barrier(a, rank, rank == 0 ? 100 : 300, rank == 0 ? 240 : 40);  // returns at 450
    silent(a, rank, "MPI_Comm_rank", 20, 5);
    barrier(a, rank, 1000, 10);
    silent(a, rank, "MPI_Finalize", 5, 10);
  }
  const Trace trace = read_trace(a.close(), {.times = true, .silent_times = true});
  const Summary s = summarise(trace, {"MPI_Barrier", "MPI_Barrier:2"});
  EXPECT_NEAR(s.efficiencies.runtime_s, 340e-9, 1e-15);
  EXPECT_NEAR(kind(s.ranks[0], TimeKind::compute), 100e-9, 1e-15);
  EXPECT_NEAR(kind(s.ranks[1], TimeKind::compute), 300e-9, 1e-15);
  EXPECT_NEAR(s.efficiencies.load_balance, 200.0 / 300.0, 1e-9);
  EXPECT_NEAR(s.collective_wait_of_rank[0], 200e-9, 1e-15);
  EXPECT_EQ(s.calls.at("MPI_Barrier").calls, 2u);
  EXPECT_EQ(s.calls.count("MPI_Finalize"), 0u);
  const double path = kind(s.critical_path.kinds, TimeKind::compute) +
                      kind(s.critical_path.kinds, TimeKind::collective);
  EXPECT_NEAR(path, 340e-9, 1e-15);
  const Summary after = summarise(trace, {"MPI_Comm_rank", "MPI_Barrier"});
  EXPECT_NEAR(after.efficiencies.runtime_s, 1010e-9, 1e-15);
  for (const Marks& wrong :
       {Marks{"MPI_Barrier:4", ""}, Marks{"solve", ""}, Marks{"MPI_Barrier:x", ""},
        Marks{"MPI_Barrier:2", "MPI_Barrier:1"}, Marks{"MPI_Barrier:0", ""}})
    EXPECT_THROW(summarise(trace, wrong), base::UserError) << wrong.from;
}

TEST(Summary, MarksMayBePhases) {
  TestArchive a(1);
  a.region("solve", OTF2_PARADIGM_USER);
  silent(a, 0, "MPI_Init", 0, 10);
  for (int i = 0; i < 2; ++i) {
    a.enter(0, "solve", 50);
    barrier(a, 0, 100, 10);
    a.leave(0, "solve", 0);
  }
  const Summary s = of(a, {"solve", "solve"});
  EXPECT_NEAR(s.efficiencies.runtime_s, (110 + 50 + 110) * 1e-9, 1e-15);
}

TEST(Summary, LoadBalanceAndPhases) {
  TestArchive a(2);
  a.region("solve", OTF2_PARADIGM_USER);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    a.enter(rank, "solve", 0);
    a.collective(rank, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0,
                 rank == 0 ? 100 : 300, rank == 0 ? 210 : 10);
    a.leave(rank, "solve", 0);
  }
  const Summary s = of(a);
  EXPECT_NEAR(s.efficiencies.load_balance, 200.0 / 300.0, 1e-9);
  EXPECT_NEAR(s.efficiencies.communication, 300.0 / 310.0, 1e-9);
  EXPECT_NEAR(s.phases.at("solve").max_s, 310e-9, 1e-15);
  EXPECT_NEAR(s.phases.at("solve").kinds[static_cast<std::size_t>(TimeKind::collective)], 220e-9,
              1e-15);
}

// The one burst began before MPI_Init, which is no computing.
TEST(Summary, ThePathOfARunWithoutCommunicationIsItsComputing) {
  TestArchive a(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    silent(a, rank, "MPI_Init", 0, 5000);
    silent(a, rank, "MPI_Finalize", rank == 0 ? 200 : 300, 4000);
  }
  EXPECT_NEAR(kind(of(a).critical_path.kinds, TimeKind::compute), 300e-9, 1e-15);
}

// 0 to 1: from 100 to 500 the one thread, from 300 to 700 the other; each instant counts once.
TEST(Summary, ThreadsThatCallAtOnceAreOneRank) {
  TestArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.call(
      0, "MPI_Init_thread", [](OTF2_EvtWriter*) {}, 0, 10);
  receive(a, 0, 1, 1, 8, 90, 400);  // 100 to 500
  receive(a, other, 1, 2, 8, 300, 400);
  receive(a, 0, 1, 3, 8, 0, 50);  // 500 to 550
  send(a, 1, 0, 1, 8, 200, 10);   // at 200
  send(a, 1, 0, 3, 8, 0, 10);
  send(a, 1, 0, 2, 8, 280, 10);  // at 500
  const Summary s = of(a);
  const TimeByKind& kinds = s.ranks[0];
  // Before both, and until the second thread's first call.
  EXPECT_NEAR(kinds[static_cast<std::size_t>(TimeKind::compute)], 90e-9 + 200e-9, 1e-15);
  EXPECT_NEAR(kinds[static_cast<std::size_t>(TimeKind::point_to_point)], 400e-9, 1e-15);
  EXPECT_EQ(s.calls.at("MPI_Recv").calls, 3u);
  EXPECT_NEAR(s.calls.at("MPI_Recv").seconds, 850e-9, 1e-15);
  EXPECT_EQ(s.unmatched_receives, 0u);
  EXPECT_NEAR(s.late_senders.by_rank[0], 100e-9 + 200e-9, 1e-15);
  EXPECT_NEAR(s.efficiencies.runtime_s, 690e-9, 1e-15);
}

TEST(Summary, ManyRanksAreBlocksAndJsonIsWhole) {
  TestArchive a(130);
  send(a, 129, 0, 0, 8, 0, 10);
  receive(a, 0, 129, 0, 8, 0, 10);
  const Trace trace = read_trace(a.close(), {.times = true});
  const Summary s = summarise(trace);
  EXPECT_EQ(s.block, 3);
  EXPECT_EQ(s.matrix.at({43, 0}).messages, 1u);
  const nlohmann::json json = nlohmann::json::parse(as_json(trace, s));
  EXPECT_EQ(json["ranks"].size(), 130u);
  EXPECT_EQ(json["matrix"]["rows"][0], (nlohmann::json{43, 0, 1, 8}));
  EXPECT_NE(as_text(trace, s).find("130 ranks"), std::string::npos);
}

}  // namespace
}  // namespace hakaru::trace
