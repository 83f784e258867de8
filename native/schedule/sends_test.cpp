#include "native/schedule/sends.hpp"

#include <gtest/gtest.h>

#include <string>

#include "native/base/require.hpp"

namespace hakaru::schedule {
namespace {

Operation op(Kind kind, std::int32_t peer, std::int32_t tag = 0, std::uint64_t bytes = 8) {
  Operation operation;
  operation.kind = kind;
  operation.peer = peer;
  operation.tag = tag;
  operation.bytes = bytes;
  return operation;
}
Operation send(std::int32_t to, std::int32_t tag = 0) { return op(Kind::send, to, tag); }
Operation receive(std::int32_t from, std::int32_t tag = 0) { return op(Kind::receive, from, tag); }
Operation compute(double seconds) {
  Operation operation;
  operation.seconds = seconds;
  return operation;
}
Operation marker(Kind kind, std::int32_t payload, std::uint64_t times = 0) {
  Operation operation;
  operation.kind = kind;
  operation.payload = payload;
  operation.bytes = times;
  return operation;
}

Schedule pair(const Stream& first, const Stream& second = {}) {
  Schedule schedule;
  schedule.ranks = 2;
  schedule.streams = {first, second};
  schedule.stream_of_rank = {0, 1};
  return schedule;
}

// What rank 0 does, a letter each, loops unfolded: s send, i isend, r receive, w wait, c compute.
std::string letters(const Schedule& schedule, bool requests = false) {
  std::string text;
  Cursor cursor;
  while (const Operation* operation = cursor.next(schedule.streams[0])) {
    switch (operation->kind) {
      case Kind::send:
        text += 's';
        break;
      case Kind::isend:
        text += 'i';
        break;
      case Kind::receive:
        text += 'r';
        break;
      case Kind::wait:
        text += 'w';
        break;
      case Kind::compute:
        text += 'c';
        break;
      default:
        text += '?';
    }
    if (requests && operation->request >= 0) text += std::to_string(operation->request);
  }
  return text;
}
std::string changed(const Stream& stream, Waits waits = Waits::late, bool requests = false) {
  return letters(nonblocking_sends(pair(stream), waits).schedule, requests);
}

TEST(Sends, WaitBeforeTheSameMemoryIsSentAgain) {
  EXPECT_EQ(changed({send(1), compute(1), receive(1), send(1), compute(1)}), "icrwicw");
}

TEST(Sends, OtherTagsAndPartnersHaveMemoryOfTheirOwn) {
  EXPECT_EQ(changed({send(1, 0), send(1, 1), send(0, 0), send(1, 1)}, Waits::late, true),
            "i0i1i2w1i1w0w1w2");
}

TEST(Sends, WaitsOfAnExchangeComeBeforeComputing) {
  EXPECT_EQ(changed({send(1), receive(1), compute(1), send(1), compute(1)}, Waits::exchange),
            "irwciwc");
}

TEST(Sends, PausesBetweenCallsAreNoComputing) {
  // 2 s of computing for two sends: less than 10 ms is a pause.
  EXPECT_EQ(changed({send(1), compute(0.009), receive(1), compute(2), send(1)}, Waits::exchange),
            "icrwciw");
  EXPECT_EQ(changed({send(1), compute(0.011), receive(1), compute(2), send(1)}, Waits::exchange),
            "iwcrciw");
}

TEST(Sends, RequestsOfTheProgramAreLeftAlone) {
  Operation own = op(Kind::isend, 1, 5);
  own.request = 3;
  Operation its = op(Kind::wait, -1);
  its.request = 3;
  EXPECT_EQ(changed({own, send(1), its}, Waits::late, true), "i3i4w3w4");
}

TEST(Sends, PersistentOnesSaySo) {
  for (const bool persistent : {false, true}) {
    const Started how = persistent ? Started::persistent : Started::nonblocking;
    const Schedule made = nonblocking_sends(pair({send(1), receive(1)}), Waits::late, how).schedule;
    EXPECT_EQ(made.streams[0][0].persistent, persistent);
    EXPECT_FALSE(made.streams[0][1].persistent);
  }
}

TEST(Sends, BufferedOnesHoldNobody) {
  Operation buffered = send(1);
  buffered.mode = Mode::buffered;
  EXPECT_EQ(changed({buffered, compute(1)}), "sc");
}

TEST(Sends, ModesAreKept) {
  Operation synchronous = send(1);
  synchronous.mode = Mode::synchronous;
  const Schedule made = nonblocking_sends(pair({synchronous}), Waits::late).schedule;
  EXPECT_EQ(made.streams[0][0].kind, Kind::isend);
  EXPECT_EQ(made.streams[0][0].mode, Mode::synchronous);
}

// A loop is what its rounds are, written out: 3 x (compute, 2 x (send, compute), send).
TEST(Sends, LoopsAreTheirRounds) {
  const Stream loop = {marker(Kind::loop_begin, 7, 3),
                       compute(1),
                       marker(Kind::loop_begin, 5, 2),
                       send(1),
                       compute(1),
                       marker(Kind::loop_end, 2),
                       send(1, 1),
                       marker(Kind::loop_end, 0)};
  Stream written;
  for (int round = 0; round < 3; ++round)
    for (const Operation& one : {compute(1), send(1), compute(1), send(1), compute(1), send(1, 1)})
      written.push_back(one);
  for (const Waits waits : {Waits::late, Waits::exchange}) {
    EXPECT_EQ(changed(loop, waits, true), changed(written, waits, true));
    EXPECT_EQ(nonblocking_sends(pair(loop), waits).sends, 9U);
  }
}

TEST(Sends, MillionsOfRoundsStayALoop) {
  const Stream loop = {marker(Kind::loop_begin, 3, 1000000), compute(1), send(1),
                       marker(Kind::loop_end, 0)};
  const NonblockingSends made = nonblocking_sends(pair(loop), Waits::late);
  EXPECT_EQ(made.sends, 1000000U);
  EXPECT_LE(made.schedule.streams[0].size(), 8U);
}

TEST(Sends, LoopsWithoutRoundsAreNothing) {
  EXPECT_EQ(changed({marker(Kind::loop_begin, 2, 0), send(1), marker(Kind::loop_end, 0)}), "");
}

TEST(Sends, RanksOfOneStreamAllCount) {
  Operation next = send(1);
  next.relative_peer = true;
  Schedule schedule = pair({next, receive(0)});
  schedule.streams[0][1].peer = -1;
  schedule.streams[0][1].relative_peer = true;
  schedule.streams.resize(1);
  schedule.ranks = 4;
  schedule.stream_of_rank = {0, 0, 0, 0};
  EXPECT_EQ(nonblocking_sends(schedule, Waits::late).sends, 4U);
}

TEST(Sends, ThreadsKeepTheirSends) {
  Operation fork;
  fork.kind = Kind::fork;
  fork.payload = 2;
  fork.request = 0;
  Operation join = op(Kind::wait, -1);
  join.request = 0;
  Schedule schedule = pair({fork, send(1), join});
  schedule.streams.push_back({send(1, 7)});
  const NonblockingSends made = nonblocking_sends(schedule, Waits::late);
  EXPECT_EQ(made.sends, 1U);
  EXPECT_EQ(made.schedule.streams[2][0].kind, Kind::send);
}

TEST(Sends, TooManyTagsAreSaid) {
  Stream stream;
  for (std::int32_t tag = 0; tag <= most_requests; ++tag) stream.push_back(send(1, tag));
  EXPECT_THROW(nonblocking_sends(pair(stream), Waits::late), base::UserError);
}

}  // namespace
}  // namespace hakaru::schedule
