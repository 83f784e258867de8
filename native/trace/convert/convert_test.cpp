#include "native/trace/convert/convert.hpp"

#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "native/base/require.hpp"
#include "native/trace/convert/test_raw.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {
namespace {

using schedule::Collective;
using schedule::Kind;
using schedule::Mode;
using schedule::Operation;

std::string failure_of(const TestFolder& folder) {
  try {
    convert((folder.path / "raw").string(), (folder.path / "archive").string(),
            [](std::int32_t, std::int32_t) {});
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

std::vector<Kind> kinds(const schedule::Stream& stream) {
  std::vector<Kind> all;
  for (const Operation& operation : stream) all.push_back(operation.kind);
  return all;
}

TEST(Convert, MessagesRequestsAndTimes) {
  TestFolder folder;
  RawRank zero(0, 2), one(1, 2);
  zero.header.memory_bytes = 70'000;
  zero.header.long_bytes = 60'000;
  one.header.long_bytes = 20'000;
  one.header.large_page_bytes = 16'000;
  zero.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 1, 7, 800)}, 0);
  zero.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, HAKARU_RAW_NO_PEER, 7, 800)}, 50);
  zero.record("MPI_Start",
              {RawRank::message(HAKARU_ITEM_ISEND, 1, 1, 3, 16, 0,
                                HAKARU_SEND_SYNCHRONOUS | HAKARU_REQUEST_PERSISTENT)},
              40);
  zero.record("MPI_Wait", {RawRank::plain(HAKARU_ITEM_SEND_DONE, 1)});
  one.record("MPI_Irecv",
             {RawRank::message(HAKARU_ITEM_IRECV, 5, HAKARU_RAW_ANY, HAKARU_RAW_ANY, 1000)}, 0);
  one.record("MPI_Irecv", {RawRank::message(HAKARU_ITEM_IRECV, 6, HAKARU_RAW_NO_PEER, 0, 0)}, 0);
  one.record("MPI_Waitall",
             {RawRank::message(HAKARU_ITEM_RECV_DONE, 5, 0, 7, 800, 0, HAKARU_RECV_ANY_SOURCE),
              RawRank::message(HAKARU_ITEM_RECV_DONE, 6, HAKARU_RAW_NO_PEER, -1, 0)},
             30);
  one.record("MPI_Probe", {RawRank::message(HAKARU_ITEM_PROBED, 0, 0, 3, 16)}, 0);
  one.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 3, 16)}, 0);
  zero.write(folder.path / "raw");
  one.write(folder.path / "raw");
  const Trace trace = through(folder);
  EXPECT_TRUE(trace.complete);
  const schedule::Stream &a = trace.schedule.streams[0], &b = trace.schedule.streams[1];
  EXPECT_EQ(kinds(a),
            (std::vector{Kind::send, Kind::compute, Kind::isend, Kind::compute, Kind::wait}));
  EXPECT_NEAR(a[1].seconds, 90e-9, 1e-15);
  EXPECT_EQ(a[2].mode, Mode::synchronous);
  EXPECT_TRUE(a[2].persistent);
  EXPECT_EQ(trace.schedule.memory_bytes, 70'000u) << "the median of those that know";
  EXPECT_EQ(trace.schedule.in_large_pages, 0.2) << "of all that was sent in long messages";
  EXPECT_EQ(kinds(b),
            (std::vector{Kind::ireceive, Kind::compute, Kind::wait, Kind::probe, Kind::receive}));
  EXPECT_EQ(b[0].peer, 0);
  EXPECT_EQ(b[0].tag, 7);
  EXPECT_EQ(b[0].bytes, 800u);
  EXPECT_EQ(b[3].bytes, 16u);
  EXPECT_NEAR(trace.times[0][0].enter_s, 1e-6, 1e-12);  // 1000 ticks after the start, of a ns each
  EXPECT_EQ(trace.creator, "hakaru");
  EXPECT_EQ(trace.schedule.program, "program");
  EXPECT_EQ(trace.ranks[0].host, "host");
}

// Both sides tell the pieces of their own data, and a damaged length is refused.
TEST(Convert, PiecesOfDerivedDatatypes) {
  const auto pieces = [](std::uint32_t bytes) { return RawRank::plain(HAKARU_ITEM_PIECES, bytes); };
  for (const std::uint32_t damaged : {0u, 1u}) {
    TestFolder folder;
    RawRank zero(0, 2), one(1, 2);
    zero.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 1, 7, 64), pieces(8)}, 0);
    zero.record("MPI_Isend", {RawRank::message(HAKARU_ITEM_ISEND, 1, 1, 8, 64), pieces(16)}, 0);
    zero.record("MPI_Wait", {RawRank::plain(HAKARU_ITEM_SEND_DONE, 1)}, 0);
    zero.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 1, 9, 64)}, 0);
    one.record("MPI_Irecv", {RawRank::message(HAKARU_ITEM_IRECV, 5, 0, 8, 64), pieces(32)}, 0);
    one.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 7, 64), pieces(4)}, 0);
    one.record("MPI_Wait",
               {RawRank::message(HAKARU_ITEM_RECV_DONE, 5, 0, 8, 64), pieces(damaged ? 0 : 32)}, 0);
    one.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 9, 64)}, 0);
    zero.write(folder.path / "raw");
    one.write(folder.path / "raw");
    if (damaged != 0) {
      EXPECT_NE(failure_of(folder).find("pieces"), std::string::npos);
      continue;
    }
    const Trace trace = through(folder);
    const schedule::Stream &a = trace.schedule.streams[0], &b = trace.schedule.streams[1];
    ASSERT_EQ(kinds(a), (std::vector{Kind::send, Kind::isend, Kind::wait, Kind::send}));
    ASSERT_EQ(kinds(b), (std::vector{Kind::ireceive, Kind::receive, Kind::wait, Kind::receive}));
    EXPECT_EQ(a[0].payload, 8);
    EXPECT_EQ(a[1].payload, 16);
    EXPECT_FALSE(a[1].persistent);
    EXPECT_EQ(a[3].payload, schedule::no_payload);
    EXPECT_EQ(b[0].payload, 32);
    EXPECT_EQ(b[1].payload, 4);
    EXPECT_EQ(b[3].payload, schedule::no_payload);
  }
}

// A ring of two: both neighbours are the other one. Without the mark, as older traces are, it is a
// graph.
TEST(Convert, NeighboursOnAGridAreTold) {
  for (const std::uint32_t mark : {HAKARU_RAW_GRID, 0u}) {
    TestFolder folder;
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      RawRank raw(rank, 2);
      hakaru_raw_communicator c{};
      c.id = 2;
      c.kind = HAKARU_COMMUNICATOR_INTRA;
      c.global_id = 77;
      c.parent = 1;
      c.own_rank = rank;
      c.size = 2;
      c.members = HAKARU_MEMBERS_RANGE;
      c.stride = 1;
      c.remote_members = mark;
      c.sources = c.destinations = 2;
      const std::uint64_t other = rank == 0 ? 1ull << 32 | 1 : 0;
      raw.meta(HAKARU_META_COMMUNICATOR, c, {other, other});
      raw.record("MPI_Neighbor_alltoall",
                 {RawRank::words(hakaru_raw_collective{
                     {RawRank::what(HAKARU_ITEM_COLLECTIVE, 2), 0}, -1, 0, 32, 32})},
                 10, 10, HAKARU_RAW_OTHER_COLLECTIVE);
      raw.record("MPI_Barrier",
                 {RawRank::words(hakaru_raw_collective{
                     {RawRank::what(HAKARU_ITEM_COLLECTIVE, 2), 0}, -1, 0, 0, 0})},
                 10, 10, OTF2_COLLECTIVE_OP_BARRIER);
      raw.write(folder.path / "raw");
    }
    const Trace trace = through(folder);
    for (const schedule::Stream& stream : trace.schedule.streams) {
      ASSERT_EQ(kinds(stream), (std::vector{Kind::collective, Kind::compute, Kind::collective}));
      EXPECT_EQ(stream[0].collective, Collective::neighbour_exchange);
      EXPECT_EQ(stream[0].grid, mark != 0);
      EXPECT_EQ(stream[0].bytes, 2u);
      EXPECT_FALSE(stream[2].grid);
    }
    EXPECT_EQ(trace.schedule.lists.at(0), (std::vector<std::int64_t>{1, 16, 1, 16, 1, 16, 1, 16}));
  }
}

TEST(Convert, AFreedRequestCompletesUnseen) {
  for (const bool freed : {true, false}) {
    TestFolder folder;
    RawRank zero(0, 2), one(1, 2);
    zero.record("MPI_Isend", {RawRank::message(HAKARU_ITEM_ISEND, 1, 1, 7, 8)}, 0);
    zero.record("MPI_Isend", {RawRank::message(HAKARU_ITEM_ISEND, 2, 1, 8, 8)});
    if (freed) zero.record("MPI_Request_free", {RawRank::plain(HAKARU_ITEM_FREED, 1)});
    zero.record("MPI_Wait", {RawRank::plain(HAKARU_ITEM_SEND_DONE, 2)});
    for (const std::int32_t tag : {7, 8})
      one.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, tag, 8)});
    zero.write(folder.path / "raw");
    one.write(folder.path / "raw");
    const Trace trace = through(folder);
    EXPECT_EQ(trace.warnings.empty(), freed) << trace.warnings.size();
    EXPECT_EQ(trace.schedule.streams[0][0].kind, Kind::isend);
  }
}

TEST(Convert, RanksThatTookTurnsOnProcessorsAreTold) {
  for (const std::uint64_t second : {0x1u, 0x2u, 0x0u}) {
    TestFolder folder;
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      RawRank raw(rank, 2);
      raw.header.allowed[1] = rank == 0 ? 0x1 : second;
      raw.record("MPI_Wtick", {});
      raw.write(folder.path / "raw");
    }
    const Trace trace = through(folder);
    ASSERT_EQ(trace.warnings.size(), second == 1 ? 1u : 0u);
    if (second == 1) {
      EXPECT_NE(trace.warnings[0].find("2 ranks on host had 1 processor,"), std::string::npos)
          << trace.warnings[0];
    }
  }
}

TEST(Convert, PersistentCollectivesAreThoseOfTheCallThatMadeThem) {
  for (const bool damaged : {false, true}) {
    TestFolder folder;
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      RawRank raw(rank, 2);
      const std::uint32_t sum = raw.call("MPI_Allreduce_init", OTF2_COLLECTIVE_OP_ALLREDUCE);
      const std::uint32_t all = raw.call("MPI_Alltoallv_init", OTF2_COLLECTIVE_OP_ALLTOALLV);
      const auto item = [&](std::uint32_t request, std::uint32_t call, std::uint64_t bytes) {
        const std::uint32_t made_by = (damaged ? call + 1000 : call);
        return RawRank::words(hakaru_raw_collective{
            {RawRank::what(HAKARU_ITEM_COLLECTIVE, 0), request},
            -1,
            HAKARU_COLLECTIVE_PERSISTENT | made_by << HAKARU_COLLECTIVE_CALL_SHIFT,
            bytes,
            bytes});
      };
      raw.record("MPI_Startall",
                 {item(3, all, 5), RawRank::counts(HAKARU_ITEM_SENT_TO, {2, 3}),
                  RawRank::counts(HAKARU_ITEM_RECEIVED_FROM, {2, 3}), item(4, sum, 64)});
      raw.record("MPI_Waitall", {RawRank::plain(HAKARU_ITEM_COLLECTIVE_DONE, 3),
                                 RawRank::plain(HAKARU_ITEM_COLLECTIVE_DONE, 4)});
      raw.write(folder.path / "raw");
    }
    if (damaged) {
      EXPECT_NE(failure_of(folder).find("unknown call"), std::string::npos);
      continue;
    }
    const Trace trace = through(folder);
    std::vector<Operation> found;
    for (const Operation& operation : trace.schedule.streams[0])
      if (operation.kind == Kind::collective) found.push_back(operation);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].collective, schedule::Collective::alltoall);
    EXPECT_EQ(trace.schedule.lists.at(static_cast<std::size_t>(found[0].payload)),
              (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(found[1].collective, schedule::Collective::allreduce);
    EXPECT_EQ(found[1].bytes, 64u);
  }
}

TEST(Convert, CollectivesKeepBytesAndLengths) {
  TestFolder folder;
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    RawRank raw(rank, 3);
    const auto collective = [&](const char* name, std::uint16_t operation, std::int32_t root,
                                std::uint64_t sent, std::uint64_t received,
                                std::vector<std::vector<std::uint64_t>> more = {},
                                std::uint32_t object = 0, std::uint32_t request = 0) {
      more.insert(
          more.begin(),
          RawRank::words(hakaru_raw_collective{
              {RawRank::what(HAKARU_ITEM_COLLECTIVE, object), request}, root, 0, sent, received}));
      raw.record(name, more, 0, 10, operation);
    };
    collective("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 1, rank == 1 ? 24 : 0, rank == 1 ? 0 : 24);
    collective("MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, 0, 8, rank == 0 ? 8 : 0);
    collective("MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, -1, 16, 16);
    collective("MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, -1, 16, 48);
    collective("MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, -1, 40, 40);
    collective("MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, -1, 48, 16);
    collective("MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, -1, 6, 6,
               {RawRank::counts(HAKARU_ITEM_SENT_TO, {1, 2, 3}),
                RawRank::counts(HAKARU_ITEM_RECEIVED_FROM, {3, 2, 1})});
    const bool outer = rank != 1;
    raw.communicator(2, outer ? 77 : 78,
                     rank == 2 ? 0
                     : outer   ? 1
                               : 0,
                     outer ? std::vector{2, 0} : std::vector{1}, rank != 0);
    collective("MPI_Iallreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, -1, 32, 32, {}, 2, 9);
    raw.record("MPI_Wait", {RawRank::plain(HAKARU_ITEM_COLLECTIVE_DONE, 9, 2)}, 0);
    raw.write(folder.path / "raw");
  }
  const Trace trace = through(folder);
  const std::vector<std::uint64_t> bytes{24, 8, 16, 16, 40, 48};
  for (const schedule::Stream& stream : trace.schedule.streams) {
    ASSERT_EQ(stream.size(), 9u);
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(stream[i].bytes, bytes[i]) << i;
    EXPECT_EQ(trace.schedule.lists.at(static_cast<std::size_t>(stream[6].payload)),
              (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(stream[7].bytes, 32u);
    EXPECT_GE(stream[7].request, 0);
    EXPECT_EQ(stream[8].kind, Kind::wait);
    EXPECT_EQ(stream[7].communicator, trace.schedule.streams[0][7].communicator);  // one family
  }
  const auto& family = trace.schedule.communicators.at(trace.schedule.streams[0][7].communicator);
  EXPECT_EQ(family.groups, (std::vector<std::vector<std::int32_t>>{{2, 0}, {1}}));
}

TEST(Convert, PhasesAndUncoveredCalls) {
  TestFolder folder;
  RawRank raw(0, 1);
  raw.string(1, "solve");
  raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_BEGIN, 1)});
  raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_END, 1)});
  raw.count("MPI_Comm_spawn", 3);
  raw.write(folder.path / "raw");
  const Trace trace = through(folder);
  EXPECT_EQ(kinds(trace.schedule.streams[0]),
            (std::vector{Kind::phase_begin, Kind::compute, Kind::phase_end}));
  EXPECT_EQ(trace.schedule.phases.at(0).name, "solve");
  ASSERT_EQ(trace.ranks[0].uncovered.size(), 1u);
  EXPECT_EQ(trace.ranks[0].uncovered[0].name, "MPI_Comm_spawn");
  EXPECT_EQ(trace.ranks[0].uncovered[0].calls, 3u);
}

struct RawThread {
  hakaru_raw_meta_head meta;
  std::uint32_t thread, zero;
};

// While calls have an order, a phase is the rank's: one thread may begin and another end it.
TEST(Convert, PhasesOfThreadsThatTakeTurns) {
  for (const std::int32_t level : {2, 3}) {
    TestFolder folder;
    RawRank raw(0, 1);
    raw.header.thread_level = level;
    raw.string(1, "solve");
    raw.record("MPI_Barrier", {});
    raw.meta(HAKARU_META_THREAD, RawThread{{}, 1, 0});
    raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_BEGIN, 1)});
    raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 8)});
    raw.meta(HAKARU_META_THREAD, RawThread{{}, 0, 0});
    raw.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 7, 8)});
    raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_END, 1)});
    raw.write(folder.path / "raw");
    const Trace trace = through(folder);
    std::vector<Kind> found = kinds(trace.schedule.streams[0]);
    found.erase(found.begin());  // what was before
    if (level == 2) {
      EXPECT_EQ(found, (std::vector{Kind::phase_begin, Kind::compute, Kind::send, Kind::compute,
                                    Kind::receive, Kind::compute, Kind::phase_end}));
    } else {
      EXPECT_EQ(found, (std::vector{Kind::send, Kind::compute, Kind::receive}));
    }
    EXPECT_TRUE(trace.complete);
  }
}

TEST(Convert, RanksThatSharedAProcessorAreTold) {
  for (const std::uint64_t allowed : {1u, 3u}) {
    TestFolder folder;
    RawRank zero(0, 2), one(1, 2);
    for (RawRank* rank : {&zero, &one}) {
      rank->header.allowed[0] = allowed;
      rank->record("MPI_Init", {});
      rank->write(folder.path / "raw");
    }
    through(folder);
    const Trace trace = read_replayable((folder.path / "archive").string());
    EXPECT_EQ(trace.warnings.size(), allowed == 1 ? 1u : 0u);
  }
}

TEST(Convert, AKilledRankLeavesWhatHappenedUntilThen) {
  TestFolder folder;
  RawRank zero(0, 2), one(1, 2);
  zero.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 1, 7, 800)});
  one.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 7, 800)});
  one.header.status = HAKARU_RAW_RUNNING;
  one.header.open_call = one.call("MPI_Recv") + 1;
  one.header.open_ticks = one.time + 5;
  zero.write(folder.path / "raw");
  one.write(folder.path / "raw");
  const Trace trace = through(folder);
  EXPECT_FALSE(trace.complete);
  EXPECT_TRUE(trace.ranks[0].complete);
  EXPECT_EQ(trace.ranks[1].ended, "killed");
  EXPECT_EQ(trace.ranks[1].open_call, "MPI_Recv");
  EXPECT_EQ(trace.schedule.streams[1].at(0).kind, Kind::receive);
}

// A time without the messages would be a wrong time.
TEST(Convert, CommunicationWithAnotherWorldIsCountedAndRefused) {
  TestFolder folder;
  RawRank raw(0, 1);
  hakaru_raw_communicator c{};
  c.id = 2;
  c.kind = HAKARU_COMMUNICATOR_OUTSIDE;
  c.global_id = 77;
  c.size = c.remote_size = 1;
  raw.meta(HAKARU_META_COMMUNICATOR, c);
  raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 800, 2)});
  raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 800, 2)});
  raw.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 7, 800, 2)});
  raw.record("MPI_Bcast",
             {RawRank::words(
                 hakaru_raw_collective{{RawRank::what(HAKARU_ITEM_COLLECTIVE, 2), 0}, 0, 0, 0, 8})},
             10, 10, OTF2_COLLECTIVE_OP_BCAST);
  raw.write(folder.path / "raw");
  ASSERT_EQ(failure_of(folder), "");
  const std::string archive = (folder.path / "archive").string();
  EXPECT_TRUE(read_trace(archive).complete);  // its times can be looked at
  try {
    read_otf2(archive);
    ADD_FAILURE() << "a schedule without its messages";
  } catch (const base::UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("2 messages to another world"), std::string::npos) << text;
    EXPECT_NE(text.find("1 messages from another world"), std::string::npos) << text;
    EXPECT_NE(text.find("1 collectives with another world"), std::string::npos) << text;
  }
}

TEST(Convert, DamageIsAnError) {
  {
    TestFolder folder;
    RawRank raw(0, 1);
    raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 800)});
    raw.write(folder.path / "raw", 8);
    EXPECT_NE(failure_of(folder).find("should end at"), std::string::npos);
  }
  {
    TestFolder folder;
    RawRank(0, 2).write(folder.path / "raw");
    EXPECT_NE(failure_of(folder).find("1 of 2 ranks"), std::string::npos);
  }
  {
    TestFolder folder;
    RawRank raw(0, 1);
    raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 800, 44)});
    raw.write(folder.path / "raw");
    EXPECT_NE(failure_of(folder).find("communicator 44"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder.path / "archive"));
  }
  {
    TestFolder folder;
    EXPECT_NE(failure_of(folder).find("is no folder"), std::string::npos);
    std::filesystem::create_directories(folder.path / "raw");
    std::ofstream(folder.path / "raw" / "rank-0000000.hkr") << "short";
    EXPECT_NE(failure_of(folder).find("no header"), std::string::npos);
  }
}

// Flipped bits in a raw trace: a reason, or an archive that is read or refused. Never a crash.
TEST(Convert, FuzzedRawTraces) {
  TestFolder folder;
  RawRank raw(0, 1);
  raw.string(1, "solve");
  raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_BEGIN, 1)});
  raw.communicator(2, 77, 0, {0}, true);
  for (std::uint32_t i = 1; i < 20; i += 2) {
    raw.record("MPI_Irecv", {RawRank::message(HAKARU_ITEM_IRECV, i, 0, 7, 80, i % 3)});
    raw.record("MPI_Isend", {RawRank::message(HAKARU_ITEM_ISEND, i + 1, 0, 7, 80, i % 3)});
    raw.record("MPI_Waitall", {RawRank::message(HAKARU_ITEM_RECV_DONE, i, 0, 7, 80, i % 3),
                               RawRank::plain(HAKARU_ITEM_SEND_DONE, i + 1)});
    raw.record("MPI_Alltoallv",
               {RawRank::words(
                    hakaru_raw_collective{{RawRank::what(HAKARU_ITEM_COLLECTIVE), 0}, -1, 0, 6, 6}),
                RawRank::counts(HAKARU_ITEM_SENT_TO, {6}),
                RawRank::counts(HAKARU_ITEM_RECEIVED_FROM, {6})},
               10, 10, OTF2_COLLECTIVE_OP_ALLTOALLV);
  }
  raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_END, 1)});
  raw.write(folder.path / "raw");
  ASSERT_EQ(failure_of(folder), "");
  const std::filesystem::path path = folder.path / "raw" / "rank-0000000.hkr";
  std::ifstream whole_file(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(whole_file)), {});
  std::mt19937_64 random(11);
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    std::string damaged = whole;
    const std::size_t begin = i % 3 == 0 ? 0 : 4096;
    const std::size_t end = i % 3 == 0 ? 256 : whole.size();
    damaged[begin + random() % (end - begin)] ^= static_cast<char>(1u << random() % 8);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    if (!failure_of(folder).empty()) {
      ++refused;
      continue;
    }
    try {
      read_trace((folder.path / "archive").string());
    } catch (const base::UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

TEST(Convert, ReplacesOnlyArchives) {
  TestFolder folder;
  RawRank raw(0, 1);
  raw.record("MPI_Barrier", {});
  raw.write(folder.path / "raw");
  EXPECT_EQ(failure_of(folder), "");
  EXPECT_EQ(failure_of(folder), "");
  std::filesystem::rename(folder.path / "archive" / "traces.otf2",
                          folder.path / "archive" / "letter");
  EXPECT_NE(failure_of(folder).find("is no archive"), std::string::npos);
}

TEST(Convert, OtherToolsReadTheArchive) {
  if (std::system("command -v otf2-print > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "otf2-print is not installed";
  TestFolder folder;
  RawRank raw(0, 1);
  raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 800)});
  raw.write(folder.path / "raw");
  ASSERT_EQ(failure_of(folder), "");
  const std::string command = "otf2-print " + (folder.path / "archive" / "traces.otf2").string() +
                              " 2>&1 | grep -q 'MPI_SEND .*Tag: 7, Length: 800'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace hakaru::trace
