#include <gtest/gtest.h>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

double t(double bytes) { return G * (bytes - 1); }
nlohmann::json barrier_of(double seconds) {
  return {{"collectives", {{"barrier", {{"algorithm", "hardware"}, {"hardware_s", seconds}}}}}};
}

TEST(OneSided, FenceWaitsForWhatWasPut) {
  // Complete at the target and acknowledged: o_s + G (s - 1) + 2 L; then the barrier.
  const Schedule schedule = of({{op(Kind::put, 1, 81), op(Kind::fence)}, {op(Kind::fence)}});
  const Result result = run(schedule, flat_document(), barrier_of(3));
  EXPECT_DOUBLE_EQ(finish(result, 0), o_s + t(81) + 2 * L + 3);
  EXPECT_DOUBLE_EQ(finish(result, 1), finish(result, 0));
  // With a barrier of messages it is one more exchange.
  EXPECT_DOUBLE_EQ(finish(run(schedule), 1), o_s + t(81) + 2 * L + o_s + L + o_r);
}

TEST(OneSided, PutsTakeTurnsAtTheNic) {
  const Schedule schedule =
      of({{op(Kind::put, 1, 81), op(Kind::put, 1, 81), op(Kind::flush, 1)}, {}});
  EXPECT_DOUBLE_EQ(finish(run(schedule), 0), o_s + t(81) + g + t(81) + 2 * L);
  Schedule local = schedule;
  local.streams[0][2].mode = Mode::local;
  EXPECT_DOUBLE_EQ(finish(run(local), 0), o_s + t(81) + g + t(81));
}

TEST(OneSided, GetIsARoundTripWithoutTheTargetsProcessor) {
  const Schedule schedule =
      of({{op(Kind::lock, 1), op(Kind::get, 1, 81), op(Kind::unlock, 1)}, {compute(1)}});
  const Result result = run(schedule);
  EXPECT_DOUBLE_EQ(finish(result, 0), (o_s + 2 * L) + (o_s + L + t(81) + L));
  EXPECT_DOUBLE_EQ(finish(result, 1), 1);
}

TEST(OneSided, ToOneselfIsACopyByTheProcessor) {
  for (const Kind kind : {Kind::put, Kind::get}) {
    const Schedule schedule = of({{op(Kind::lock, 0), op(kind, 0, 40), op(Kind::unlock, 0)}});
    EXPECT_DOUBLE_EQ(finish(run(schedule, copying()), 0), 0.25 + 0.25 + 20);
    EXPECT_DOUBLE_EQ(finish(run(schedule), 0), 0);
  }
}

TEST(OneSided, RequestForms) {
  Operation put = op(Kind::put, 1, 81);
  put.request = 3;
  EXPECT_DOUBLE_EQ(finish(run(of({{put, wait(3), op(Kind::unlock, -1)}, {}})), 0),
                   o_s + t(81) + 2 * L);
  EXPECT_DOUBLE_EQ(finish(run(of({{put, wait(3)}, {}})), 0), o_s + t(81));
}

TEST(OneSided, AccumulateReducesAtTheTarget) {
  nlohmann::json document = flat_document();
  document["reduction_s_per_byte"] = 0.5;
  EXPECT_DOUBLE_EQ(
      finish(run(of({{op(Kind::accumulate, 1, 81), op(Kind::flush, 1)}, {}}), document), 0),
      o_s + t(81) + 2 * L + 0.5 * 81);
}

TEST(OneSided, PostStartCompleteWait) {
  Operation post = op(Kind::post), start = op(Kind::start);
  post.payload = 0;
  start.payload = 1;
  Schedule schedule = of({{compute(5), post, op(Kind::wait_exposure)},
                          {start, op(Kind::put, 0, 81), op(Kind::complete)}});
  schedule.lists = {{1}, {0}};
  const Result result = run(schedule);
  const double started = 5 + o_s + L + o_r;               // the target's notice
  const double complete = started + o_s + t(81) + 2 * L;  // put and acknowledged
  EXPECT_DOUBLE_EQ(finish(result, 1), complete + o_s);
  EXPECT_DOUBLE_EQ(finish(result, 0), complete + o_s + L + o_r);
}

TEST(OneSided, FlagsAreRaisedByArrivals) {
  Operation put = op(Kind::put, 1, 81, 4), twice = op(Kind::flag_wait, -1, 2, 4);
  const Result result = run(of({{put, compute(100), put}, {twice}}));
  EXPECT_DOUBLE_EQ(finish(result, 1), o_s + 100 + o_s + t(81) + L);
  EXPECT_NE(error_of([&] {
              run(of({{put}, {twice}}));
            }).find("flag wait for 2 increments of flag 4"),
            std::string::npos);
}

TEST(OneSided, BothEnginesAgree) {
  Operation put = op(Kind::put, 1, 81, 4), flag = op(Kind::flag_wait, -1, 2, 4);
  const Schedule schedule = of({{put, op(Kind::get, 1, 50), put, op(Kind::fence)},
                                {flag, op(Kind::put, 0, 33), op(Kind::fence)}});
  const Result a = run(schedule), b = run(schedule, flat_document(), {{"engine", "time_ordered"}});
  for (std::size_t rank = 0; rank < 2; ++rank) EXPECT_DOUBLE_EQ(finish(a, rank), finish(b, rank));
}

TEST(Files, RatesAreSharedAndCollectiveOnesEndTogether) {
  nlohmann::json document = flat_document();
  document["file_system"] = {
      {"operation_s", 1}, {"rank_bytes_per_s", 10}, {"total_bytes_per_s", 20}};
  const auto with_mode = [](std::uint64_t bytes, Mode mode) {
    return with(op(Kind::file_write, -1, bytes), mode);
  };
  // One of four ranks has 20 / 4 = 5 B/s.
  EXPECT_DOUBLE_EQ(run(all(4, {with_mode(100, Mode::standard)}), document).makespan_s, 1 + 20);
  // Together: the longer of 100 B at 10 B/s and 130 B at 20 B/s, from when the last has come.
  const Result result =
      run(of({{compute(7), with_mode(100, Mode::collective)}, {with_mode(30, Mode::collective)}}),
          document);
  EXPECT_DOUBLE_EQ(finish(result, 0), 7 + 1 + 10);
  EXPECT_DOUBLE_EQ(finish(result, 1), 7 + 1 + 10);
  EXPECT_DOUBLE_EQ(result.ranks[1].file_s, 11);
  EXPECT_NE(error_of([&] { run(all(1, {op(Kind::file_open)})); }).find("file_system"),
            std::string::npos);
}

}  // namespace
}  // namespace hakaru::replay::test
