#include <gtest/gtest.h>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

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

// Prices that no sum hides.
nlohmann::json prices(double more = 0) {
  const auto one = [](double bytes, double call, double gap, double done) {
    return nlohmann::json{{"bytes", bytes}, {"call_s", call}, {"gap_s", gap}, {"done_s", done}};
  };
  return {{"put", {one(8, 1 + more, 1.5 + more, 20), one(108, 3 + more, 5 + more, 40)}},
          {"get", {one(8, 2, 2, 30)}},
          {"accumulate", {one(8, 4, 4, 50)}},
          {"fence_s", 0.25},
          {"lock_s", 0.5},
          {"unlock_s", 0.75},
          {"lock_all_s", 0.125},
          {"unlock_all_s", 0.0625},
          {"flush_s", 0.375},
          {"post_s", 0.03125},
          {"start_s", 6},
          {"complete_s", 7},
          {"wait_s", 9}};
}
nlohmann::json priced_document() {
  nlohmann::json document = flat_document();
  document["reduction_s_per_byte"] = 1000;  // is in the measured prices
  document["levels"]["switch"]["one_sided"] = {{"allocated", prices()}, {"created", prices(100)}};
  return document;
}

TEST(OneSidedByPrices, PutsAreLinearInSizeAndFollowEachOther) {
  const auto puts = [](std::uint64_t bytes) {
    return of({{op(Kind::put, 1, bytes), op(Kind::put, 1, bytes), op(Kind::flush, 1)}, {}});
  };
  EXPECT_DOUBLE_EQ(finish(run(puts(8), priced_document()), 0), 1 + 1.5 + 20 + 0.375);
  EXPECT_DOUBLE_EQ(finish(run(puts(58), priced_document()), 0), 2 + 3.25 + 30 + 0.375);
  EXPECT_DOUBLE_EQ(finish(run(puts(208), priced_document()), 0), 5 + 8.5 + 60 + 0.375);
  EXPECT_DOUBLE_EQ(finish(run(puts(0), priced_document()), 0), 1 + 1.5 + 20 + 0.375);
}

TEST(OneSidedByPrices, DataThatComputingPushedOutTakeLonger) {
  nlohmann::json document = priced_document();
  document["levels"]["switch"]["after_work"] = {{{"work_s", 10}, {"bytes", 1}, {"value_s", 3}},
                                                {{"work_s", 10}, {"bytes", 8}, {"value_s", 5}}};
  for (const auto& [kind, call_s, done_s] :
       {std::tuple{Kind::put, 1.0, 20.0}, {Kind::get, 2.0, 30.0}})
    EXPECT_DOUBLE_EQ(
        finish(run(of({{compute(10), op(kind, 1, 8), op(kind, 1, 8), op(Kind::flush, 1)}, {}}),
                   document),
               0),
        10 + (5 - 3) + 2 * call_s + (kind == Kind::put ? 0.5 : 0) + done_s + 0.375);
}

// Puts of a row go to places of their own: each is of data that were computed before the row.
TEST(OneSidedByPrices, DataThatWereJustComputedHaveTheirOwnPrice) {
  nlohmann::json document = priced_document();
  for (nlohmann::json& one : document["levels"]["switch"]["one_sided"]["allocated"]["put"])
    one["new_s"] = 10;
  const auto row = [&](double work_s) {
    const Operation put = op(Kind::put, 1, 8), flush = op(Kind::flush, 1);
    const Schedule steps =
        of({{compute(100), put, flush, compute(work_s), put, put, put, flush}, {}});
    return finish(run(steps, document), 0) - (100 + 1 + 10 + 20 + 0.375) - work_s;
  };
  const double plain_s = 1 + 2 * 1.5 + 20 + 0.375;
  EXPECT_DOUBLE_EQ(row(0), plain_s) << "the data of the row before";
  EXPECT_DOUBLE_EQ(row(4), plain_s) << "less than eight calls' time";
  EXPECT_DOUBLE_EQ(row(8), 10 + plain_s) << "what one call needs";
  EXPECT_DOUBLE_EQ(row(24), 3 * 10 + 3 * 1 + 20 + 0.375) << "each of the three is new";
  EXPECT_DOUBLE_EQ(row(12), 10 + 5 + plain_s - 0.5) << "half of the second is, in its gap";
}

TEST(OneSidedByPrices, WhoWaitsForAFlagGoesOnWhenItIsSeen) {
  nlohmann::json document = priced_document();
  Operation wait;
  wait.kind = Kind::flag_wait;
  wait.tag = 3;
  wait.bytes = 1;
  const auto waited_s = [&] {
    return finish(run(of({{op(Kind::put, 1, 8, 3)}, {wait}}), document), 1);
  };
  EXPECT_DOUBLE_EQ(waited_s(), 1 + 20) << "when it is complete";
  for (nlohmann::json& one : document["levels"]["switch"]["one_sided"]["allocated"]["put"])
    one["seen_s"] = 32;
  EXPECT_DOUBLE_EQ(waited_s(), 1 + 32);
  EXPECT_DOUBLE_EQ(finish(run(of({{op(Kind::put, 1, 8, 3)}, {}}), document), 0), 1);
}

TEST(OneSidedByPrices, WhatTheTracerDidComputesNoData) {
  nlohmann::json document = priced_document();
  for (nlohmann::json& one : document["levels"]["switch"]["one_sided"]["allocated"]["put"])
    one["new_s"] = 10;
  const auto second_s = [&](std::int32_t tracers_ns) {
    Operation computed = compute(8);
    computed.tag = tracers_ns;
    const Operation put = op(Kind::put, 1, 8), flush = op(Kind::flush, 1);
    return finish(run(of({{put, flush, computed, put, flush}, {}}), document), 0) -
           finish(run(of({{put, flush, put, flush}, {}}), document), 0);
  };
  EXPECT_DOUBLE_EQ(second_s(0), 8 + 10);
  EXPECT_DOUBLE_EQ(second_s(2'000'000'000), 8);
}

TEST(OneSidedByPrices, PutsThatRaiseAFlagTakeLonger) {
  nlohmann::json document = priced_document();
  const auto put_s = [&](std::int32_t flag) {
    return finish(run(of({{op(Kind::put, 1, 8, flag)}, {}}), document), 0);
  };
  const double plain_s = put_s(0);
  for (nlohmann::json& one : document["levels"]["switch"]["one_sided"]["allocated"]["put"])
    one["flag_s"] = 4;
  EXPECT_DOUBLE_EQ(put_s(0), plain_s);
  EXPECT_DOUBLE_EQ(put_s(3), plain_s + 4);
  const auto to_oneself_s = [&](std::int32_t flag) {
    return finish(run(of({{op(Kind::put, 0, 8, flag)}, {}}), document), 0);
  };
  EXPECT_DOUBLE_EQ(to_oneself_s(3), to_oneself_s(0) + 4);
}

TEST(OneSidedByPrices, PutsOfNewDataInPiecesTakeLonger) {
  nlohmann::json document = priced_document();
  const auto put_s = [&](std::int64_t items) {
    Operation put = op(Kind::put, 1, 64);
    put.payload = 0;
    Schedule schedule = of({{compute(100), put}, {}});
    schedule.lists = {{0, items}};
    return finish(run(schedule, document), 0) - 100;
  };
  const double plain_s = put_s(1);
  nlohmann::json& prices = document["levels"]["switch"]["one_sided"]["allocated"];
  const auto of_pieces = [](int piece_bytes, double s_per_byte) {
    return nlohmann::json{{"piece_bytes", piece_bytes}, {"bytes", 64}, {"s_per_byte", s_per_byte}};
  };
  prices["put_pieces"] = {of_pieces(8, 0.5), of_pieces(32, 0.25)};
  EXPECT_DOUBLE_EQ(put_s(8), plain_s) << "what data take that are not new is not known";
  for (nlohmann::json& one : prices["put"]) one["new_s"] = 1;
  EXPECT_DOUBLE_EQ(put_s(0), plain_s + 1);
  EXPECT_DOUBLE_EQ(put_s(1), plain_s + 1);
  EXPECT_DOUBLE_EQ(put_s(8), plain_s + 1 + 0.5 * 64);
  EXPECT_DOUBLE_EQ(put_s(2), plain_s + 1 + 0.25 * 64);
  EXPECT_DOUBLE_EQ(put_s(4), plain_s + 1 + 0.375 * 64) << "by the logarithm of the pieces";
}

TEST(OneSidedByPrices, EveryCallHasItsOwn) {
  const nlohmann::json document = priced_document();
  const Schedule locked = of({{op(Kind::lock, 1), op(Kind::get, 1, 8), op(Kind::unlock, 1)}, {}});
  EXPECT_DOUBLE_EQ(finish(run(locked, document), 0), 0.5 + 2 + 30 + 0.75);
  const Schedule all_locked =
      of({{op(Kind::lock), op(Kind::accumulate, 1, 8), op(Kind::unlock)}, {}});
  EXPECT_DOUBLE_EQ(finish(run(all_locked, document), 0), 0.125 + 4 + 50 + 0.0625);
  const Schedule fenced =
      of({{op(Kind::put, 1, 8), op(Kind::fence)}, {compute(3), op(Kind::fence)}});
  for (std::size_t rank = 0; rank < 2; ++rank)
    EXPECT_DOUBLE_EQ(finish(run(fenced, document), rank), 1 + 20 + 0.25);
}

// By how soon a fence comes after the one before; a level that says nothing of it has one price.
TEST(OneSidedByPrices, FencesApartHaveTheirOwn) {
  nlohmann::json document = priced_document();
  document["levels"]["switch"]["answering"] = 1;  // disturbed
  document["levels"]["switch"]["crowded_within_s"] = 4;
  const auto second_s = [&](double apart_s) {
    const Stream rank = {op(Kind::fence), compute(apart_s), op(Kind::fence)};
    return finish(run(of({rank, rank}), document), 0) - apart_s - 0.25;
  };
  for (const double apart_s : {0.0, 1.0, 4.0}) EXPECT_DOUBLE_EQ(second_s(apart_s), 0.25);
  document["levels"]["switch"]["one_sided"]["allocated"]["fence_apart_s"] = 2.25;
  const double first_s = 2.25 - 0.25;  // it comes after none
  EXPECT_DOUBLE_EQ(second_s(0) - first_s, 0.25);
  EXPECT_DOUBLE_EQ(second_s(1) - first_s, 0.75);
  EXPECT_DOUBLE_EQ(second_s(4) - first_s, 2.25);
  const Stream put = {op(Kind::fence), op(Kind::put, 1, 8), op(Kind::fence)};
  EXPECT_DOUBLE_EQ(finish(run(of({put, put}), document), 0) - 0.25 - first_s, 1 + 20 + 0.25)
      << "in the probe's row, too, a put is between";
}

// Who comes late finds the other's message on its way, and then there.
TEST(OneSidedByPrices, AFenceTakesLessOfWhoComesLate) {
  nlohmann::json document = priced_document();
  const auto after_s = [&](double late_s) {
    const Schedule fenced = of({{op(Kind::fence)}, {compute(late_s), op(Kind::fence)}});
    const Result found = run(fenced, document);
    EXPECT_DOUBLE_EQ(finish(found, 0), finish(found, 1));
    return finish(found, 1) - late_s;
  };
  for (const double late_s : {0.0, 0.0625, 3.0}) EXPECT_DOUBLE_EQ(after_s(late_s), 0.25);
  document["levels"]["switch"]["one_sided"]["allocated"]["fence_late_s"] = 0.125;
  EXPECT_DOUBLE_EQ(after_s(0.0), 0.25);
  EXPECT_DOUBLE_EQ(after_s(0.0625), 0.1875);
  EXPECT_DOUBLE_EQ(after_s(3.0), 0.125);
}

// The first call comes after none.
TEST(OneSidedByPrices, CallsApartHaveTheirOwn) {
  nlohmann::json document = priced_document();
  document["levels"]["switch"]["answering"] = 1;  // disturbed
  document["levels"]["switch"]["crowded_within_s"] = 4;
  const auto seconds = [&](double apart_s) {
    const Schedule calls = of({{op(Kind::lock, 1), compute(apart_s), op(Kind::put, 1, 8),
                                compute(apart_s), op(Kind::unlock, 1)},
                               {}});
    return finish(run(calls, document), 0) - 2 * apart_s;
  };
  const double plain_s = 0.5 + 1 + 0.75;
  const auto waited_s = [](double apart_s) { return std::max(20 - apart_s, 0.0); };
  for (const double apart_s : {0.0, 1.0, 30.0})
    EXPECT_DOUBLE_EQ(seconds(apart_s), plain_s + waited_s(apart_s));
  nlohmann::json& prices = document["levels"]["switch"]["one_sided"]["allocated"];
  prices["lock_apart_s"] = 0.5 + 3;
  prices["unlock_apart_s"] = 0.75 + 5;
  for (nlohmann::json& one : prices["put"]) one["apart_s"] = 7;
  EXPECT_DOUBLE_EQ(seconds(0), plain_s + 3 + 20);
  EXPECT_DOUBLE_EQ(seconds(1), plain_s + 3 + (7 + 5) / 4.0 + 19);
  EXPECT_DOUBLE_EQ(seconds(30), plain_s + 3 + 7 + 5);
  prices["put"].back()["apart_s"] = 17;
  const Schedule longer =
      of({{op(Kind::lock, 1), compute(30), op(Kind::put, 1, 58), op(Kind::flush, 1)}, {}});
  EXPECT_DOUBLE_EQ(finish(run(longer, document), 0), 3.5 + 30 + 2 + (7 + 17) / 2.0 + 30 + 0.375);
}

TEST(OneSidedByPrices, PostStartCompleteWait) {
  Operation post = op(Kind::post), start = op(Kind::start);
  post.payload = 0;
  start.payload = 1;
  Schedule schedule = of({{compute(5), post, op(Kind::wait_exposure)},
                          {start, op(Kind::put, 0, 8), op(Kind::complete)}});
  schedule.lists = {{1}, {0}};
  const Result result = run(schedule, priced_document());
  const double complete = 5.03125 + 6 + 1 + 20 + 7;
  EXPECT_DOUBLE_EQ(finish(result, 1), complete);
  EXPECT_DOUBLE_EQ(finish(result, 0), complete + 9);
}

TEST(OneSidedByPrices, WindowsInTheProgramsMemoryHaveTheirOwn) {
  Schedule schedule = of({{op(Kind::put, 1, 8), op(Kind::flush, 1)}, {}});
  schedule.communicators[0].created_windows = true;
  EXPECT_DOUBLE_EQ(finish(run(schedule, priced_document()), 0), 101 + 20 + 0.375);
  nlohmann::json document = priced_document();
  document["levels"]["switch"]["one_sided"].erase("created");
  EXPECT_DOUBLE_EQ(finish(run(schedule, document), 0), finish(run(schedule), 0));
}

TEST(OneSidedByPrices, BothEnginesAgree) {
  Operation post = op(Kind::post), start = op(Kind::start);
  post.payload = 0;
  start.payload = 1;
  Schedule schedule = of({{post, op(Kind::wait_exposure), op(Kind::put, 1, 8), op(Kind::fence)},
                          {start, op(Kind::put, 0, 8), op(Kind::complete), op(Kind::fence)}});
  schedule.lists = {{1}, {0}};
  const Result a = run(schedule, priced_document());
  const Result b = run(schedule, priced_document(), {{"engine", "time_ordered"}});
  for (std::size_t rank = 0; rank < 2; ++rank) EXPECT_DOUBLE_EQ(finish(a, rank), finish(b, rank));
}

TEST(OneSidedByPrices, PricesThatAreNoneAreRefused) {
  nlohmann::json document = priced_document();
  document["levels"]["switch"]["one_sided"]["allocated"].erase("get");
  EXPECT_NE(error_of([&] {
              run(of({{}, {}}), document);
            }).find("allocated.get is empty"),
            std::string::npos);
  document = priced_document();
  document["levels"]["switch"]["one_sided"]["allocated"]["put"][1]["bytes"] = 8;
  EXPECT_NE(error_of([&] {
              run(of({{}, {}}), document);
            }).find("not ascending"),
            std::string::npos);
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
