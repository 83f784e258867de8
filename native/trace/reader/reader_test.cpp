#include <fmt/format.h>
#include <gtest/gtest.h>

#include "native/base/require.hpp"
#include "native/trace/reader/checksums.hpp"
#include "native/trace/reader/test_archive.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {
namespace {

using schedule::Collective;
using schedule::Kind;
using schedule::Mode;
using schedule::Operation;
constexpr std::uint32_t none = OTF2_UNDEFINED_UINT32;

// One word an operation: what a reader of the test compares.
std::string word(const Operation& o, const schedule::Schedule& s) {
  const std::string place =
      o.communicator == schedule::world ? "" : fmt::format(" c{}", o.communicator);
  const std::string request = o.request < 0 ? "" : fmt::format(" r{}", o.request);
  const std::string mode =
      o.mode == Mode::standard ? "" : fmt::format(" m{}", static_cast<int>(o.mode));
  std::string list;
  if (o.payload >= 0) {
    for (const std::int64_t value : s.lists[static_cast<std::size_t>(o.payload)])
      list += fmt::format(" {}", value);
  }
  const auto text = [&](const char* name) {
    return fmt::format("{} {} {} {}{}{}{}", name, o.peer, o.tag, o.bytes, place, request, mode);
  };
  const auto plain = [&](const char* name) {
    return fmt::format("{} {} {}{}{}{}", name, o.peer, o.bytes, place, request, mode);
  };
  switch (o.kind) {
    case Kind::compute:
      return fmt::format("compute {:.0f}", o.seconds * 1e9);
    case Kind::send:
      return text("send");
    case Kind::receive:
      return text("receive");
    case Kind::isend:
      return text("isend");
    case Kind::ireceive:
      return text("ireceive");
    case Kind::probe:
      return text("probe");
    case Kind::wait:
      return "wait" + request;
    case Kind::collective:
      return fmt::format("collective{} ", static_cast<int>(o.collective)) + plain("") + list;
    case Kind::put:
      return plain("put");
    case Kind::get:
      return plain("get");
    case Kind::accumulate:
      return plain("accumulate");
    case Kind::fence:
      return "fence" + place;
    case Kind::post:
      return "post" + list;
    case Kind::start:
      return "start" + list;
    case Kind::complete:
      return "complete";
    case Kind::wait_exposure:
      return "wait_exposure";
    case Kind::lock:
      return plain("lock");
    case Kind::unlock:
      return plain("unlock");
    case Kind::flush:
      return plain("flush");
    case Kind::file_read:
      return plain("file_read");
    case Kind::file_write:
      return plain("file_write");
    case Kind::file_open:
      return "file_open" + mode;
    case Kind::file_close:
      return "file_close";
    case Kind::phase_begin:
      return "begin " + s.phases[o.phase].name;
    case Kind::phase_end:
      return "end " + s.phases[o.phase].name;
    default:
      return "?";
  }
}

std::vector<std::string> words(const Trace& trace, std::size_t rank) {
  std::vector<std::string> all;
  for (const Operation& operation : trace.schedule.streams[rank])
    all.push_back(word(operation, trace.schedule));
  return all;
}

using Words = std::vector<std::string>;

std::string failure_of(const std::string& path, const ReadOptions& options = {}) {
  try {
    read_trace(path, options);
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    return error.what();
  }
  return "";
}

TEST(Reader, BlockingMessagesAndTheTimeBetweenThem) {
  TestArchive a(2);
  a.call(0, "MPI_Send", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiSend(w, nullptr, a.at(0), 1, TestArchive::world, 7, 800);
  });
  a.call(
      0, "MPI_Ssend",
      [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiSend(w, nullptr, a.at(0), 1, TestArchive::world, 7, 0);
      },
      0);
  for (int i = 0; i < 2; ++i) {
    a.call(
        1, "MPI_Recv",
        [&](OTF2_EvtWriter* w) {
          OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(1), 0, TestArchive::world, 7, i ? 0 : 800);
        },
        50);
  }
  const Trace trace = read_trace(a.close(), {.times = true});
  EXPECT_TRUE(trace.complete);
  EXPECT_EQ(trace.events(), 12u);
  EXPECT_EQ(words(trace, 0), (Words{"send 1 7 800", "send 1 7 0 m2"}));
  EXPECT_EQ(words(trace, 1), (Words{"receive 0 7 800", "compute 50", "receive 0 7 0"}));
  ASSERT_EQ(trace.times[1].size(), 3u);
  EXPECT_NEAR(trace.times[1][0].enter_s, 50e-9, 1e-15);
  EXPECT_NEAR(trace.times[1][0].leave_s, 60e-9, 1e-15);
  EXPECT_NEAR(trace.times[1][1].leave_s, 110e-9, 1e-15);
  EXPECT_EQ(trace.calls[trace.times[1][2].call], "MPI_Recv");
  EXPECT_EQ(trace.ranks[0].host, "host");
}

TEST(Reader, ReceivesGetTheirSourceWhenTheyAreDone) {
  TestArchive a(2);
  a.call(0, "MPI_Irecv",
         [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(0), 11); });
  a.call(0, "MPI_Isend", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiIsend(w, nullptr, a.at(0), 1, TestArchive::world, 3, 64, 12);
  });
  a.call(0, "MPI_Test",
         [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRequestTest(w, nullptr, a.at(0), 11); });
  a.call(0, "MPI_Comm_rank");
  a.call(0, "MPI_Waitall", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiIrecv(w, nullptr, a.at(0), 1, TestArchive::world, 5, 32, 11);
    OTF2_EvtWriter_MpiIsendComplete(w, nullptr, a.at(0), 12);
  });
  const Trace trace = read_trace(a.close());
  // 100 until the test, its 10, 100 until MPI_Comm_rank (dropped), 100 until the wait.
  EXPECT_EQ(words(trace, 0), (Words{"ireceive 1 5 32 r0", "compute 100", "isend 1 3 64 r1",
                                    "compute 310", "wait r0", "wait r1"}));
  ASSERT_EQ(trace.ranks[0].silent.size(), 2u);
  EXPECT_EQ(trace.calls[trace.ranks[0].silent[0].call], "MPI_Test");
  EXPECT_NEAR(trace.ranks[0].silent[1].seconds, 10e-9, 1e-15);
}

TEST(Reader, SendAndReceiveAtOnceAndCancelledRequests) {
  TestArchive a(2);
  a.call(0, "MPI_Sendrecv", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiSend(w, nullptr, a.at(0), 1, TestArchive::world, 1, 8);
    OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(0), 1, TestArchive::world, 2, 16);
  });
  a.call(
      0, "MPI_Irecv",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(0), 1); }, 0);
  a.call(
      0, "MPI_Wait",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, a.at(0), 1); }, 0);
  const Trace trace = read_trace(a.close());
  EXPECT_EQ(words(trace, 0), (Words{"ireceive 1 2 16 r0", "send 1 1 8", "wait r0", "compute 0"}));
}

TEST(Reader, CollectivesInvertScorePsBytes) {
  TestArchive a(4);
  const std::uint32_t n = 4;
  a.collective(2, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0, 0);
  a.collective(2, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 0, 2, n * 24, 24, 0);
  a.collective(2, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 0, 1, 0, 24, 0);
  a.collective(2, "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, 0, 2, 8, n * 8, 0);
  a.collective(2, "MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, 0, 2, 0, (n - 1) * 8, 0);
  a.collective(2, "MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER, 0, 0, 0, 8, 0);
  a.collective(2, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, 0, none, n * 8, n * 8, 0);
  a.collective(2, "MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, 0, none, (n - 1) * 10,
               (n - 1) * 10, 0);
  a.collective(2, "MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, 0, none, n * 16, n * 16, 0);
  a.collective(2, "MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, 0, none, n * 16, n * 16, 0);
  a.collective(2, "MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, 0, none,
               n * 16, n * 16, 0);
  a.collective(2, "MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, 0, none, 2 * 8, 3 * 8, 0);
  a.collective(2, "MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN, 0, none, 1 * 8, 2 * 8, 0);
  a.collective(2, "MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, 0, 0, 40, 0, 0);
  a.collective(2, "MPI_Comm_dup", OTF2_COLLECTIVE_OP_CREATE_HANDLE, 0, none, 0, 0, 0);
  const std::string anchor = a.close();
  const Words expected{"collective0  -1 0",  "collective1  2 24",  "collective1  1 24",
                       "collective4  2 8",   "collective4  2 8",   "collective5  0 8",
                       "collective3  -1 8",  "collective3  -1 10", "collective7  -1 16",
                       "collective6  -1 16", "collective8  -1 64", "collective9  -1 8",
                       "collective10  -1 8", "collective2  0 40",  "collective0  -1 0"};
  EXPECT_EQ(words(read_trace(anchor), 2), expected);
  EXPECT_EQ(words(read_trace(anchor, {.management = false}), 2),
            Words(expected.begin(), expected.end() - 1));
}

// Who comes last does not wait: the shortest time in a call is what it takes by itself. Who stays
// longer than that after the last has come (rank 1 in the second) computes by itself.
TEST(Reader, WhatMakingACommunicatorTakesIsComputing) {
  TestArchive a(2);
  const auto make = [&](std::uint32_t rank, OTF2_CommRef of, std::uint64_t compute,
                        std::uint64_t duration) {
    a.collective(rank, "MPI_Comm_dup", OTF2_COLLECTIVE_OP_CREATE_HANDLE, of, none, 0, 0, compute,
                 duration);
  };
  make(0, TestArchive::world, 100, 50);  // the trace begins with it: no computing is before
  make(1, TestArchive::world, 130, 20);
  make(0, TestArchive::world, 200, 7);
  make(1, TestArchive::world, 300, 30);
  make(0, TestArchive::self, 0, 4);
  make(1, TestArchive::self, 0, 6);
  const std::string anchor = a.close();
  const std::string barrier = "collective0  -1 0", own = barrier + " c1";
  for (const bool child : {false, true}) {
    const Trace made = read_trace(anchor, {.making = true, .child_process = child});
    EXPECT_EQ(words(made, 0),
              (Words{"compute 20", barrier, "compute 207", barrier, "compute 4", own}));
    EXPECT_EQ(words(made, 1),
              (Words{"compute 20", barrier, "compute 307", barrier, "compute 29", own}));
  }
  EXPECT_EQ(words(read_trace(anchor), 0), (Words{barrier, "compute 200", barrier, own}));
}

TEST(Reader, NonBlockingCollectivesAreKnownAtTheirEnd) {
  TestArchive a(2);
  a.call(0, "MPI_Iallreduce", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_NonBlockingCollectiveRequest(w, nullptr, a.at(0), 5);
  });
  a.call(0, "MPI_Wait", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_NonBlockingCollectiveComplete(w, nullptr, a.at(0), OTF2_COLLECTIVE_OP_ALLREDUCE,
                                                 0, none, 48, 48, 5);
  });
  EXPECT_EQ(words(read_trace(a.close()), 0),
            (Words{"collective3  -1 24 r0", "compute 100", "wait r0"}));
}

TEST(Reader, DisjointCommunicatorsOfOneParentAreOneFamily) {
  TestArchive a(4);
  const OTF2_CommRef even = a.communicator({0, 2}), odd = a.communicator({3, 1}),
                     overlapping = a.communicator({1, 2});
  const OTF2_CommRef twin = a.communicator({0, 1, 2, 3});
  a.call(
      2, "MPI_Send",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(2), 0, even, 0, 1); }, 0);
  a.call(
      1, "MPI_Send",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(1), 0, odd, 0, 2); }, 0);
  a.call(
      1, "MPI_Send",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(1), 1, overlapping, 0, 3); },
      0);
  a.call(
      1, "MPI_Send",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(1), 3, twin, 0, 4); }, 0);
  a.collective(1, "MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, odd, 0, 0, 24, 0);
  a.collective(1, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, TestArchive::self, none, 0, 0, 0);
  const Trace trace = read_trace(a.close());
  EXPECT_EQ(words(trace, 2), Words{"send 0 0 1 c2"});
  EXPECT_EQ(words(trace, 1), (Words{"send 3 0 2 c2", "send 2 0 3 c3", "send 3 0 4 c4",
                                    "collective1  0 24 c2", "collective0  -1 0 c1"}));
  const auto& families = trace.schedule.communicators;
  ASSERT_EQ(families.size(), 5u);
  EXPECT_TRUE(families[1].self);
  EXPECT_EQ(families[2].groups, (std::vector<std::vector<std::int32_t>>{{0, 2}, {3, 1}}));
  EXPECT_EQ(families[4].groups, (std::vector<std::vector<std::int32_t>>{{0, 1, 2, 3}}));
}

TEST(Reader, UserRegionsArePhases) {
  TestArchive a(1);
  a.region("solve", OTF2_PARADIGM_USER, "communicate");
  a.region("helper", OTF2_PARADIGM_COMPILER);
  a.enter(0, "solve");
  a.enter(0, "helper");
  a.leave(0, "helper", 40);
  a.collective(0, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0, 60);
  a.leave(0, "solve", 5);
  const std::string anchor = a.close();
  const Trace trace = read_trace(anchor);
  EXPECT_EQ(words(trace, 0),
            (Words{"begin solve", "compute 200", "collective0  -1 0", "compute 5", "end solve"}));
  EXPECT_EQ(trace.schedule.phases.at(0).kind, "communicate");
  EXPECT_EQ(trace.schedule.streams[0][1].phase, 0);
  EXPECT_EQ(words(read_trace(anchor, {.phases = PhaseRegions::none}), 0),
            (Words{"compute 200", "collective0  -1 0", "compute 5"}));
  EXPECT_EQ(words(read_trace(anchor, {.phases = PhaseRegions::functions}), 0).size(), 9u);
}

// What MPI_Win_create makes is told apart: libraries treat memory that the program gave otherwise.
TEST(Reader, WindowsInTheProgramsMemoryHaveAFamily) {
  TestArchive a(2);
  const OTF2_RmaWinRef allocated = a.window(TestArchive::world, "allocated"),
                       created = a.window(TestArchive::world, "created");
  for (const OTF2_RmaWinRef window : {allocated, created})
    a.call(
        0, "MPI_Put",
        [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_RmaPut(w, nullptr, a.at(0), window, 1, 8, 1); }, 0);
  const Trace trace = read_trace(a.close());
  std::vector<bool> of_created;
  for (const schedule::Operation& operation : trace.schedule.streams[0])
    if (operation.kind == schedule::Kind::put)
      of_created.push_back(trace.schedule.communicators[operation.communicator].created_windows);
  EXPECT_EQ(of_created, (std::vector<bool>{false, true}));
}

TEST(Reader, OneSidedCommunication) {
  TestArchive a(2);
  const OTF2_RmaWinRef first = a.window(TestArchive::world), second = a.window(TestArchive::world);
  const OTF2_GroupRef partner = a.group({1});
  const auto made = [&](OTF2_RmaWinRef window) {
    a.call(
        0, "MPI_Win_create",
        [&](OTF2_EvtWriter* w) {
          OTF2_EvtWriter_RmaCollectiveBegin(w, nullptr, a.at(0));
          OTF2_EvtWriter_RmaWinCreate(w, nullptr, a.at(0), window);
          OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, a.at(0), OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                                          OTF2_RMA_SYNC_LEVEL_PROCESS, window, none, 0, 0);
        },
        0);
  };
  const auto simple = [&](const char* name, auto&& event) {
    a.call(
        0, name, [&](OTF2_EvtWriter* w) { event(w); }, 0);
  };
  made(first);
  made(second);
  simple("MPI_Put",
         [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_RmaPut(w, nullptr, a.at(0), first, 1, 80, 1); });
  simple("MPI_Win_fence", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaCollectiveBegin(w, nullptr, a.at(0));
    OTF2_EvtWriter_RmaOpCompleteRemote(w, nullptr, a.at(0), first, 1);
    OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, a.at(0), OTF2_COLLECTIVE_OP_BARRIER,
                                    OTF2_RMA_SYNC_LEVEL_MEMORY, first, none, 0, 0);
  });
  simple("MPI_Win_start", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaGroupSync(w, nullptr, a.at(0), OTF2_RMA_SYNC_LEVEL_PROCESS, second, partner);
  });
  simple("MPI_Get",
         [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_RmaGet(w, nullptr, a.at(0), second, 1, 16, 2); });
  simple("MPI_Win_complete", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaGroupSync(w, nullptr, a.at(0), OTF2_RMA_SYNC_LEVEL_PROCESS, second, partner);
  });
  simple("MPI_Win_lock", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaRequestLock(w, nullptr, a.at(0), first, 1, 0, OTF2_LOCK_SHARED);
  });
  simple("MPI_Rput",
         [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_RmaPut(w, nullptr, a.at(0), first, 1, 8, 3); });
  simple("MPI_Wait", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaOpCompleteBlocking(w, nullptr, a.at(0), first, 3);
  });
  simple("MPI_Accumulate", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaAtomic(w, nullptr, a.at(0), first, 1, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, 24, 0,
                             4);
  });
  simple("MPI_Win_flush_local", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaOpCompleteRemote(w, nullptr, a.at(0), first, 4);
  });
  simple("MPI_Win_unlock", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaReleaseLock(w, nullptr, a.at(0), first, 1, 0);
  });
  simple("MPI_Win_lock_all", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaRequestLock(w, nullptr, a.at(0), first, none - 1, 0, OTF2_LOCK_SHARED);
  });
  simple("MPI_Win_unlock_all", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaReleaseLock(w, nullptr, a.at(0), first, none - 1, 0);
  });
  const Trace trace = read_trace(a.close());
  EXPECT_EQ(words(trace, 0),
            (Words{"collective0  -1 0", "collective0  -1 0", "put 1 80", "fence", "start 1",
                   "get 1 16 c2", "complete", "lock 1 0", "put 1 8 r0", "wait r0",
                   "accumulate 1 24", "flush 1 0 m4", "unlock 1 0", "lock -1 0", "unlock -1 0"}));
  EXPECT_EQ(trace.schedule.communicators[2].groups.at(0).size(), 2u);
}

TEST(Reader, Files) {
  TestArchive a(2);
  const OTF2_IoHandleRef file = a.file(TestArchive::world);
  a.call(
      0, "MPI_File_open",
      [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_IoCreateHandle(w, nullptr, a.at(0), file, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                      OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
      },
      0);
  a.call(
      0, "MPI_File_write_all",
      [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_IoOperationBegin(w, nullptr, a.at(0), file, OTF2_IO_OPERATION_MODE_WRITE,
                                        OTF2_IO_OPERATION_FLAG_COLLECTIVE, 100, 1);
        OTF2_EvtWriter_IoOperationComplete(w, nullptr, a.at(0), file, 90, 1);
      },
      0);
  a.call(
      0, "MPI_File_close",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_IoDestroyHandle(w, nullptr, a.at(0), file); }, 0);
  EXPECT_EQ(words(read_trace(a.close()), 0),
            (Words{"file_open m5", "file_write -1 90 m5", "file_close"}));
}

TEST(Reader, ARankThatEndedInsideACallIsIncomplete) {
  TestArchive a(2);
  a.collective(0, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0);
  a.enter(1, "MPI_Recv");
  const std::string anchor = a.close();
  const Trace trace = read_trace(anchor);
  EXPECT_FALSE(trace.complete);
  EXPECT_TRUE(trace.ranks[0].complete);
  EXPECT_EQ(trace.ranks[1].open_call, "MPI_Recv");
  EXPECT_THROW(read_otf2(anchor), base::UserError);
}

TEST(Reader, ImpossibleEventsAreErrors) {
  const auto fails = [](const std::string& why, auto&& make) {
    TestArchive a(2);
    make(a);
    const std::string text = failure_of(a.close());
    EXPECT_NE(text.find(why), std::string::npos) << text;
  };
  fails("region 77 is not defined",
        [](TestArchive& a) { OTF2_EvtWriter_Enter(a.writer(0), nullptr, a.at(0), 77); });
  fails("communicator 9 is not defined",
        [](TestArchive& a) { OTF2_EvtWriter_MpiSend(a.writer(0), nullptr, a.at(0), 1, 9, 0, 1); });
  fails("rank 5 of a communicator of 2",
        [](TestArchive& a) { OTF2_EvtWriter_MpiSend(a.writer(0), nullptr, a.at(0), 5, 0, 0, 1); });
  fails("no member", [](TestArchive& a) {
    const OTF2_CommRef other = a.communicator({1});
    OTF2_EvtWriter_MpiSend(a.writer(0), nullptr, a.at(0), 0, other, 0, 1);
  });
  fails("message of", [](TestArchive& a) {
    OTF2_EvtWriter_MpiSend(a.writer(0), nullptr, a.at(0), 1, 0, 0, 1ull << 60);
  });
  fails("was not started",
        [](TestArchive& a) { OTF2_EvtWriter_MpiIsendComplete(a.writer(0), nullptr, a.at(0), 4); });
  fails("starts twice", [](TestArchive& a) {
    OTF2_EvtWriter_MpiIrecvRequest(a.writer(0), nullptr, a.at(0), 4);
    OTF2_EvtWriter_MpiIrecvRequest(a.writer(0), nullptr, a.at(0), 4);
  });
  fails("is left", [](TestArchive& a) {
    a.enter(0, "MPI_Send");
    a.leave(0, "MPI_Recv");
  });
  fails("unknown rank 4", [](TestArchive& a) { a.communicator({0, 4}); });
  fails("incomplete", [](TestArchive& a) {
    a.call(0, "MPI_Comm_rank");
    a.say_events(0, 3);
  });
  fails("cannot be whole", [](TestArchive& a) {
    a.call(0, "MPI_Comm_rank");
    a.say_events(0, 1ull << 50);
  });
}

TEST(Reader, AnArchiveWithoutRanksIsAnError) {
  TestArchive a(0);
  EXPECT_NE(failure_of(a.close()).find("holds no MPI ranks"), std::string::npos);
}

TEST(Reader, MissingFilesAreErrors) {
  EXPECT_NE(failure_of("/nonexistent/traces.otf2").find("does not exist"), std::string::npos);
  TestArchive a(2);
  a.call(0, "MPI_Comm_rank");
  const std::string anchor = a.close();
  std::filesystem::remove(a.folder() / "traces" / "0.evt");
  EXPECT_NE(failure_of(anchor), "");
}

TEST(Reader, ChecksumsNoticeAnyChange) {
  TestArchive a(1);
  a.call(0, "MPI_Comm_rank");
  const std::string anchor = a.close();
  write_checksums(a.folder().string());
  EXPECT_EQ(failure_of(anchor), "");
  std::filesystem::resize_file(a.folder() / "traces" / "0.evt",
                               std::filesystem::file_size(a.folder() / "traces" / "0.evt") + 1);
  EXPECT_NE(failure_of(anchor).find("0.evt"), std::string::npos);
}

}  // namespace
}  // namespace hakaru::trace
