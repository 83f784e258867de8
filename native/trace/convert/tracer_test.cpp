// What the tracer did beside the program, and what it saw there.
#include <gtest/gtest.h>

#include <cmath>

#include "native/base/require.hpp"
#include "native/trace/convert/test_raw.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {
namespace {

using schedule::Kind;
using schedule::Operation;

// An item that is one number.
std::vector<std::uint64_t> told(std::uint32_t kind, std::uint64_t number) {
  std::vector<std::uint64_t> item = RawRank::plain(kind, 0);
  item.push_back(number);
  return item;
}

// In front of the call, so that a rank that waits there anyway loses nothing; in a replay of the
// traced run only, which ends where MPI_Finalize begins.
TEST(Convert, WhatOthersTookInACallIsComputingOfTheTracedRun) {
  TestFolder folder;
  RawRank raw(0, 1);
  const std::vector<std::uint64_t> delayed = told(HAKARU_ITEM_DELAYED, 300'000);
  raw.record("MPI_Init", {delayed});
  raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 8), delayed});
  raw.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 7, 8)});
  raw.record("MPI_Finalize", {delayed});
  raw.write(folder.path / "raw");
  through(folder);
  const auto computing_s = [&](bool inside) {
    const ReadOptions options{.tracing = true, .inside = inside};
    const schedule::Schedule read = read_otf2((folder.path / "archive").string(), options);
    std::vector<double> found;
    for (const Operation& operation : read.streams[0])
      if (operation.kind == Kind::compute) found.push_back(operation.seconds);
    return found;
  };
  const std::vector<double> plain = computing_s(false), traced = computing_s(true);
  const std::vector<double> longer_s = {300e-6, 0, 0};
  ASSERT_EQ(plain.size(), longer_s.size());
  ASSERT_EQ(traced.size(), longer_s.size());
  for (std::size_t i = 0; i < longer_s.size(); ++i)
    EXPECT_NEAR(traced[i] - plain[i], longer_s[i], 1e-9) << i;
}

// 100 ticks lie between calls. What the tracer did there is computing in a trace, not in a replay;
// what it did inside of calls is computing in a replay of the traced run.
TEST(Convert, AReplayComputesWithoutTheTracer) {
  TestFolder folder;
  RawRank raw(0, 1);
  using Items = std::vector<std::vector<std::uint64_t>>;
  const auto message = [](std::uint32_t kind) -> Items {
    return {RawRank::message(kind, 0, 0, 7, 8)};
  };
  raw.cost("MPI_Send", 30);
  raw.cost("MPI_Comm_rank", 5);
  raw.cost("MPI_Recv", 120);  // more than there is
  raw.header.inside_ticks = 4;
  raw.record("MPI_Init", {});
  raw.record("MPI_Send", message(HAKARU_ITEM_SEND));  // ends at 2220
  raw.record("MPI_Comm_rank", {});
  raw.meta(HAKARU_META_FLUSH, hakaru_raw_flush{{}, 2440, 2460});
  raw.record("MPI_Recv", message(HAKARU_ITEM_RECV));
  raw.record("MPI_Send", message(HAKARU_ITEM_SEND));
  raw.meta(HAKARU_META_FLUSH, hakaru_raw_flush{{}, 2665, 2675});
  raw.record("MPI_Send", message(HAKARU_ITEM_SEND));
  raw.record("MPI_Recv", message(HAKARU_ITEM_RECV));
  raw.record("MPI_Recv", message(HAKARU_ITEM_RECV));
  raw.write(folder.path / "raw");
  const auto seconds = [](const schedule::Stream& stream) {
    std::vector<double> found;
    for (const schedule::Operation& operation : stream) {
      if (operation.kind == Kind::compute) found.push_back(std::round(operation.seconds * 1e9));
    }
    return found;
  };
  EXPECT_EQ(seconds(through(folder).schedule.streams[0]),
            (std::vector<double>{100, 200, 100, 100, 100, 100}));
  EXPECT_EQ(seconds(read_otf2((folder.path / "archive").string(), {.tracing = true}).streams[0]),
            (std::vector<double>{100, 200, 100, 100, 100, 100}));
  const ReadOptions as_traced{.tracing = true, .inside = true};
  EXPECT_EQ(seconds(read_otf2((folder.path / "archive").string(), as_traced).streams[0]),
            (std::vector<double>{104, 208, 104, 104, 104, 104, 4}));
  // Of it the tracer's: after the first send 34 and 9, after the first receive more than there is.
  std::vector<std::int32_t> tracers_ns;
  const schedule::Schedule as_run = read_otf2((folder.path / "archive").string(), as_traced);
  for (const Operation& one : as_run.streams[0])
    if (one.kind == Kind::compute) tracers_ns.push_back(one.tag);
  EXPECT_EQ(tracers_ns, (std::vector<std::int32_t>{4, 43, 104, 34, 44, 104, 4}));
  // After the first receive, where a flush was, 40 too few were left; the last flush lies
  // beyond the second send.
  EXPECT_EQ(seconds(read_otf2((folder.path / "archive").string()).streams[0]),
            (std::vector<double>{100, 165, 30, 60}));
}

schedule::Stream computing(const TestFolder& folder, bool tracing) {
  const schedule::Schedule read =
      read_otf2((folder.path / "archive").string(), {.tracing = tracing});
  schedule::Stream found;
  for (const Operation& one : read.streams[0])
    if (one.kind == Kind::compute) found.push_back(one);
  return found;
}

// Before a call, at a mark, and before a call that is no operation, whose find is told by the next.
TEST(Convert, HowColdComputingLeftCachesIsToldAndNoComputing) {
  TestFolder folder;
  RawRank raw(0, 1);
  const auto sensed = [](std::uint64_t ticks) { return told(HAKARU_ITEM_SENSED, ticks); };
  raw.header.warm_ticks = 20;
  raw.string(1, "solve");
  raw.record("MPI_Init", {});
  raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 8), sensed(60)});
  raw.record("MPI_Comm_rank", {sensed(25)});
  raw.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 7, 8), sensed(30)});
  raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_BEGIN, 1), sensed(19)});
  raw.record("MPI_Pcontrol", {RawRank::plain(HAKARU_ITEM_PHASE_END, 1), sensed(50)});
  raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 8)});
  raw.record("MPI_Recv", {RawRank::message(HAKARU_ITEM_RECV, 0, 0, 7, 8)});
  raw.write(folder.path / "raw");
  through(folder);
  const schedule::Stream kept = computing(folder, true), own = computing(folder, false);
  const std::vector<double> cold_ns = {40, 15, 0, 30, -1, -1}, took_ns = {60, 55, 19, 50, 0, 0};
  ASSERT_EQ(own.size(), cold_ns.size());
  ASSERT_EQ(kept.size(), cold_ns.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_NEAR(own[i].cold_s, cold_ns[i] < 0 ? -1 : 1e-9 * cold_ns[i], 1e-12) << i;
    EXPECT_NEAR(kept[i].seconds - own[i].seconds, 1e-9 * took_ns[i], 1e-12) << i;
  }
}

TEST(Convert, SensingThatTookTooLongIsDamage) {
  TestFolder folder;
  RawRank raw(0, 1);
  std::vector<std::uint64_t> sensed = RawRank::plain(HAKARU_ITEM_SENSED, 0);
  sensed.push_back(std::uint64_t{1} << 62);
  raw.record("MPI_Init", {});
  raw.record("MPI_Send", {RawRank::message(HAKARU_ITEM_SEND, 0, 0, 7, 8), sensed});
  raw.write(folder.path / "raw");
  EXPECT_THROW(through(folder), base::UserError);
}

}  // namespace
}  // namespace hakaru::trace
