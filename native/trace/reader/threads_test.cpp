// Several threads of a rank that call MPI, as locations of an archive.
#include <gtest/gtest.h>

#include "native/base/require.hpp"
#include "native/trace/reader/test_archive.hpp"
#include "native/trace/reader/test_operations.hpp"

namespace hakaru::trace {
namespace {

using Texts = std::vector<std::string>;

// Times in ns, from the beginning of the archive; calls of one thread in order.
class ThreadArchive : public TestArchive {
 public:
  explicit ThreadArchive(std::uint32_t ranks) : TestArchive(ranks) {}

  template <typename Inside>
  void from_to(std::uint32_t location, std::uint64_t begin, std::uint64_t end,
               const std::string& name, Inside&& inside) {
    std::uint64_t& last = last_[location];
    call(location, name, inside, begin - last, end - begin);
    last = end;
  }
  void receive(std::uint32_t location, std::uint64_t begin, std::uint64_t end, std::uint32_t tag) {
    from_to(location, begin, end, "MPI_Recv", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_MpiRecv(w, nullptr, at(location), 1, world, tag, 8);
    });
  }
  void send(std::uint32_t location, std::uint64_t begin, std::uint64_t end, std::uint32_t tag) {
    from_to(location, begin, end, "MPI_Send", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_MpiSend(w, nullptr, at(location), 1, world, tag, 8);
    });
  }
  void isend(std::uint32_t location, std::uint64_t begin, std::uint32_t tag) {
    from_to(location, begin, begin + 100, "MPI_Isend", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_MpiIsend(w, nullptr, at(location), 1, world, tag, 8, tag);
    });
  }
  void isend_ends(std::uint32_t location, std::uint64_t begin, std::uint32_t tag) {
    from_to(location, begin, begin + 100, "MPI_Wait", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_MpiIsendComplete(w, nullptr, at(location), tag);
    });
  }
  void silent(std::uint32_t location, std::uint64_t begin, std::uint64_t end,
              const std::string& name) {
    from_to(location, begin, end, name, [](OTF2_EvtWriter*) {});
  }

 private:
  std::map<std::uint32_t, std::uint64_t> last_;
};

Trace read(ThreadArchive& a) { return read_trace(a.close(), {.times = true}); }

TEST(Threads, CallsThatDoNotOverlapAreOneStream) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.silent(0, 0, 100, "MPI_Init_thread");
  a.send(other, 1'100, 1'200, 1);
  a.send(0, 1'200, 1'300, 2);  // touches
  a.send(other, 2'300, 2'400, 3);
  a.silent(0, 2'500, 2'600, "MPI_Finalize");
  const Trace trace = read(a);
  EXPECT_EQ(texts(trace, 0), (Texts{"compute 1000", "send 1 tag 1", "send 1 tag 2", "compute 1000",
                                    "send 1 tag 3", "compute 100"}));
  EXPECT_EQ(trace.schedule.streams.size(), 2u);
  EXPECT_EQ(trace.ranks[0].threads, 0u);
  EXPECT_EQ(trace.ranks[0].events, 4u + 2 + 2 * 3 + 1);
}

TEST(Threads, TheRanksOwnThreadMayDoNothing) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.send(other, 1'000, 1'100, 1);
  a.send(other, 1'600, 1'700, 2);
  EXPECT_EQ(texts(read(a), 0), (Texts{"send 1 tag 1", "compute 500", "send 1 tag 2"}));
}

TEST(Threads, OneCommunicationThreadBesideTheMainOne) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.region("step", OTF2_PARADIGM_USER);
  a.silent(0, 0, 100, "MPI_Init_thread");
  a.enter(0, "step", 400);  // at 500
  a.receive(other, 1'000, 9'000, 1);
  a.leave(0, "step", 4'500);  // at 5000, inside of the receive
  a.send(other, 9'500, 9'600, 2);
  const Trace trace = read(a);
  EXPECT_EQ(texts(trace, 0), (Texts{"compute 400", "begin", "compute 500", "receive 1 tag 1", "end",
                                    "compute 500", "send 1 tag 2"}));
}

TEST(Threads, CallsThatOverlapAreStreamsOfTheirOwn) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0), third = a.thread(0);
  a.silent(0, 0, 100, "MPI_Init_thread");
  a.receive(0, 1'100, 3'100, 1);
  a.receive(other, 2'100, 4'100, 2);  // overlaps the first
  a.send(0, 3'500, 3'600, 3);
  a.send(third, 20'000, 20'100, 4);  // alone
  const Trace trace = read(a);
  ASSERT_EQ(trace.schedule.streams.size(), 3u);
  EXPECT_EQ(texts(trace, 0), (Texts{"compute 1000", "fork r0", "receive 1 tag 1", "compute 400",
                                    "send 1 tag 3", "wait r0", "compute 15900", "send 1 tag 4"}));
  EXPECT_EQ(trace.schedule.streams[0][1].payload, 2);
  EXPECT_EQ(texts(trace, 2), (Texts{"compute 1000", "receive 1 tag 2"}));
  EXPECT_NEAR(trace.times[2][1].enter_s, 2.1e-6, 1e-12);
  EXPECT_NEAR(trace.times[0][5].leave_s, 4.1e-6, 1e-12);
  EXPECT_EQ(trace.ranks[0].threads, 1u);
}

TEST(Threads, ASectionGoesOnOverShortPausesUntilTheLastOverlap) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  for (const std::uint64_t begin : {1'000, 4'000}) {
    a.send(0, begin, begin + 500, 1);
    a.send(0, begin + 1'000, begin + 1'100, 1);
    a.send(other, begin + 100, begin + 200, 2);
  }
  a.send(other, 6'000, 6'100, 3);
  const Trace trace = read(a);
  ASSERT_EQ(trace.schedule.streams.size(), 3u);
  EXPECT_EQ(texts(trace, 0), (Texts{"fork r0", "send 1 tag 1", "compute 500", "send 1 tag 1",
                                    "compute 1900", "send 1 tag 1", "wait r0", "compute 500",
                                    "send 1 tag 1", "compute 900", "send 1 tag 3"}));
  EXPECT_EQ(texts(trace, 2),
            (Texts{"compute 100", "send 1 tag 2", "compute 2900", "send 1 tag 2"}));
}

TEST(Threads, MayCompleteWhatAnotherStarted) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.isend(0, 1'000, 1);
  a.isend(0, 2'000, 2);
  a.receive(other, 2'050, 2'200, 3);
  a.isend_ends(other, 2'300, 2);
  a.isend_ends(other, 2'500, 1);
  a.isend(0, 2'550, 4);  // not with the number of what the other waits for
  a.isend_ends(0, 9'000, 4);
  const Trace trace = read(a);
  ASSERT_EQ(trace.schedule.streams.size(), 3u);
  EXPECT_EQ(texts(trace, 0),
            (Texts{"isend 1 tag 1 r0", "compute 900", "fork r1", "isend 1 tag 2 r3", "compute 450",
                   "isend 1 tag 4 r2", "wait r1", "compute 6350", "wait r2"}));
  EXPECT_EQ(texts(trace, 2), (Texts{"compute 50", "receive 1 tag 3", "compute 100", "wait r3",
                                    "compute 100", "wait r0"}));
}

// Rank 1 sends 8 and 16 bytes of one tag; the thread that posted first gets the first.
TEST(Threads, MessagesOfOneKeyMatchInTheOrderPosted) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  const auto receive = [&](std::uint32_t location, std::uint64_t begin, std::uint64_t bytes) {
    a.from_to(location, begin, 5'000, "MPI_Recv", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(location), 1, TestArchive::world, 7, bytes);
    });
  };
  receive(other, 1'000, 8);
  receive(0, 2'000, 16);
  for (const std::uint64_t bytes : {8, 16}) {
    a.call(1, "MPI_Send", [&](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_MpiSend(w, nullptr, a.at(1), 0, TestArchive::world, 7, bytes);
    });
  }
  const Trace trace = read(a);
  EXPECT_EQ(texts(trace, 0), (Texts{"fork r0", "compute 1000", "receive 1 tag 9", "wait r0"}));
  EXPECT_EQ(texts(trace, 2), (Texts{"receive 1 tag 8"}));
  EXPECT_EQ(texts(trace, 1), (Texts{"send 0 tag 8", "compute 100", "send 0 tag 9"}));
  EXPECT_EQ(trace.schedule.streams[0][2].bytes, 16u);
}

TEST(Threads, OneSidedCallsBesideOthersAreRefused) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  const OTF2_RmaWinRef window = a.window(TestArchive::world);
  a.receive(0, 1'000, 3'000, 1);
  a.from_to(other, 2'000, 2'100, "MPI_Put", [&](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_RmaPut(w, nullptr, a.at(other), window, 1, 8, 1);
  });
  std::string said;
  try {
    read(a);
  } catch (const base::UserError& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("rank 0 calls MPI_Put at 0.000002 s while another of its threads"),
            std::string::npos)
      << said;
}

TEST(Threads, ACallWithoutEndCutsTheRank) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.send(0, 1'000, 1'100, 1);
  a.send(other, 2'000, 2'100, 2);
  a.enter(other, "MPI_Recv", 500);
  const Trace trace = read(a);
  EXPECT_FALSE(trace.complete);
  EXPECT_EQ(trace.ranks[0].open_call, "MPI_Recv");
  EXPECT_EQ(texts(trace, 0), (Texts{"send 1 tag 1", "compute 900", "send 1 tag 2"}));
}

TEST(Threads, ThreadsWithoutMpiAreLeftOut) {
  ThreadArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.region("loop", OTF2_PARADIGM_OPENMP);
  a.send(0, 1'000, 1'100, 1);
  for (int i = 0; i < 10; ++i) a.enter(other, "loop", 10), a.leave(other, "loop", 50);
  EXPECT_EQ(texts(read(a), 0), (Texts{"send 1 tag 1"}));
}

}  // namespace
}  // namespace hakaru::trace
