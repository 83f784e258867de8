// Polling loops are waiting: what the reader and the summary make of them.
#include <gtest/gtest.h>

#include "native/trace/reader/test_archive.hpp"
#include "native/trace/reader/test_operations.hpp"

namespace hakaru::trace {
namespace {

using Texts = std::vector<std::string>;

// Times in ns; every call lasts 200.
void receive_begins(TestArchive& a, std::uint64_t request, std::uint64_t after = 0) {
  a.call(
      0, "MPI_Irecv",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, a.at(0), request); },
      after, 200);
}
void test_fails(TestArchive& a, std::uint64_t request, std::uint64_t after) {
  a.call(
      0, "MPI_Test",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRequestTest(w, nullptr, a.at(0), request); },
      after, 200);
}
void receive_ends(TestArchive& a, const std::string& call, std::uint64_t request,
                  std::uint64_t after) {
  a.call(
      0, call,
      [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiIrecv(w, nullptr, a.at(0), 1, TestArchive::world,
                                static_cast<std::uint32_t>(request), 8, request);
      },
      after, 200);
}
void silent(TestArchive& a, const std::string& call, std::uint64_t after) {
  a.call(
      0, call, [](OTF2_EvtWriter*) {}, after, 200);
}
Trace read(TestArchive& a) { return read_trace(a.close(), {.times = true}); }
double seconds_of(const Trace& trace, const std::string& call) {
  for (const SilentCall& one : trace.ranks[0].silent) {
    if (trace.calls[one.call] == call) return one.seconds;
  }
  return 0;
}

TEST(Polling, ALoopOfTestsIsOneWaitFromItsBegin) {
  TestArchive a(2);
  receive_begins(a, 7);
  test_fails(a, 7, 10'000);
  for (int i = 0; i < 1000; ++i) test_fails(a, 7, 100);
  receive_ends(a, "MPI_Test", 7, 100);
  const Trace trace = read(a);
  EXPECT_EQ(texts(trace, 0), (Texts{"ireceive 1 tag 7 r0", "compute 10000", "wait r0"}));
  const OperationTime& wait = trace.times[0][2];
  EXPECT_NEAR(wait.leave_s - wait.enter_s, 300.5e-6, 1e-12);
  EXPECT_NEAR(seconds_of(trace, "MPI_Test"), 0, 1e-12);  // the wait has them
}

TEST(Polling, WorkBetweenTestsIsComputing) {
  TestArchive a(2);
  receive_begins(a, 7);
  for (int i = 0; i < 4; ++i) test_fails(a, 7, 6'000);
  receive_ends(a, "MPI_Test", 7, 6'000);
  const Trace trace = read(a);
  EXPECT_EQ(texts(trace, 0), (Texts{"ireceive 1 tag 7 r0", "compute 30800", "wait r0"}));
  EXPECT_NEAR(seconds_of(trace, "MPI_Test"), 0.8e-6, 1e-12);
}

TEST(Polling, WorkBetweenLoopsIsComputingBeforeTheWait) {
  TestArchive a(2);
  receive_begins(a, 7);
  test_fails(a, 7, 0);
  test_fails(a, 7, 100);
  test_fails(a, 7, 5'000);
  test_fails(a, 7, 100);
  receive_ends(a, "MPI_Test", 7, 100);
  const Trace trace = read(a);
  EXPECT_EQ(texts(trace, 0), (Texts{"ireceive 1 tag 7 r0", "compute 5000", "wait r0"}));
  EXPECT_NEAR(trace.times[0][2].leave_s - trace.times[0][2].enter_s, 1.3e-6, 1e-12);
  EXPECT_NEAR(seconds_of(trace, "MPI_Test"), 0, 1e-12);
}

TEST(Polling, WorkBeforeTheTestThatSucceedsIsComputing) {
  TestArchive a(2);
  receive_begins(a, 7);
  test_fails(a, 7, 0);
  test_fails(a, 7, 100);
  test_fails(a, 7, 6'000);  // alone
  receive_ends(a, "MPI_Test", 7, 7'000);
  const Trace trace = read(a);
  EXPECT_EQ(texts(trace, 0), (Texts{"ireceive 1 tag 7 r0", "compute 13200", "wait r0"}));
  EXPECT_NEAR(seconds_of(trace, "MPI_Test"), 0.2e-6, 1e-12);
}

TEST(Polling, TestanyOverSeveralRequests) {
  TestArchive a(2);
  for (const std::uint64_t request : {1, 2}) receive_begins(a, request);
  for (const std::uint64_t request : {2, 1}) {
    for (int i = 0; i < 10; ++i) silent(a, "MPI_Testany", 1'000);
    receive_ends(a, "MPI_Testany", request, 1'000);
  }
  EXPECT_EQ(texts(read(a), 0), (Texts{"ireceive 1 tag 1 r0", "ireceive 1 tag 2 r1", "compute 1000",
                                      "wait r1", "compute 1000", "wait r0"}));
}

TEST(Polling, ProbesUntilAMessageIsThere) {
  TestArchive a(2);
  silent(a, "MPI_Send", 0);
  for (int i = 0; i < 10; ++i) silent(a, "MPI_Iprobe", 2'000);
  a.enter(0, "MPI_Iprobe", 2'000);
  OTF2_AttributeList* list = OTF2_AttributeList_New();
  OTF2_AttributeList_AddUint32(list, a.attribute("HAKARU::PROBE_SOURCE", OTF2_TYPE_UINT32), 1);
  OTF2_AttributeList_AddInt32(list, a.attribute("HAKARU::PROBE_TAG", OTF2_TYPE_INT32), 3);
  OTF2_AttributeList_AddUint32(list, a.attribute("HAKARU::PROBE_COMMUNICATOR", OTF2_TYPE_UINT32),
                               TestArchive::world);
  OTF2_EvtWriter_Leave(a.writer(0), list, a.at(0, 200), a.region("MPI_Iprobe"));
  OTF2_AttributeList_Delete(list);
  a.call(
      0, "MPI_Recv",
      [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(0), 1, TestArchive::world, 3, 8);
      },
      100, 200);
  EXPECT_EQ(texts(read(a), 0),
            (Texts{"compute 2000", "probe 1 tag 3", "compute 100", "receive 1 tag 3"}));
}

TEST(Polling, AWaitGoesOnWithTestsOfItsRequestOnly) {
  TestArchive same(2), other(2);
  for (TestArchive* a : {&same, &other}) {
    receive_begins(*a, 1);
    receive_begins(*a, 2);
    for (int i = 0; i < 10; ++i) test_fails(*a, a == &same ? 2 : 1, 1'000);
    receive_ends(*a, "MPI_Wait", 2, 1'000);
  }
  EXPECT_EQ(texts(read(same), 0)[2], "compute 1000");
  EXPECT_EQ(texts(read(other), 0)[2], "compute 13000");
}

TEST(Polling, WhatNothingEndedStaysComputing) {
  TestArchive a(2);
  receive_begins(a, 1);
  for (int i = 0; i < 10; ++i) test_fails(a, 1, 1'000);
  silent(a, "MPI_Cancel", 1'000);
  a.call(
      0, "MPI_Wait",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, a.at(0), 1); }, 0,
      200);
  for (int i = 0; i < 10; ++i) silent(a, "MPI_Iprobe", 1'000);
  a.call(
      0, "MPI_Send",
      [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiSend(w, nullptr, a.at(0), 1, TestArchive::world, 1, 8);
      },
      1'000, 200);
  EXPECT_EQ(texts(read(a), 0), (Texts{"compute 0", "compute 26000", "send 1 tag 1"}));
}

TEST(Polling, PackingIsNoTest) {
  TestArchive a(2);
  receive_begins(a, 1);
  for (int i = 0; i < 10; ++i) silent(a, "MPI_Pack", 1'000);
  receive_ends(a, "MPI_Wait", 1, 1'000);
  EXPECT_EQ(texts(read(a), 0)[1], "compute 13000");
}

}  // namespace
}  // namespace hakaru::trace
