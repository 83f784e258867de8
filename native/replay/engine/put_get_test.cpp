#include <gtest/gtest.h>

#include <random>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

// Parameters that no sum hides. Latency of the flat network: L = 10.
constexpr double prolog = 5, epilog = 3, enqueue = 2, dma = 15, post = 0.25, wire = 0.5,
                 check_time = 7, rtc = 20, rtc_rcv = 11, rtc_send = 13, flush_time = 0.125,
                 receive_dma = 17, acknowledge = 40;
constexpr std::uint64_t s = 80;
constexpr double put_cpu = prolog + enqueue + dma + post * s;
constexpr double receive_cpu = rtc + flush_time * s + receive_dma;

nlohmann::json machine(bool hardware) {
  nlohmann::json document = flat_document();
  document["put_get"] = {{"hardware", hardware},
                         {"put_prolog_time", prolog},
                         {"put_epilog_time", epilog},
                         {"put_enqueue_time", enqueue},
                         {"put_msg_time", wire},
                         {"put_dma_set_time", dma},
                         {"put_msg_post_time", post},
                         {"check_prolog_time", check_time},
                         {"intr_rtc_time", rtc},
                         {"intr_rtc_rcv_time", rtc_rcv},
                         {"intr_rtc_send_time", rtc_send},
                         {"recv_msg_flush_time", flush_time},
                         {"recv_dma_set_time", receive_dma},
                         {"acknowledge_time", acknowledge}};
  return document;
}
const nlohmann::json interrupts = machine(false), controller = machine(true);

Operation flag(std::int32_t number, std::uint64_t more = 1) {
  return op(Kind::flag_wait, -1, more, number);
}
// With a flag raised where the data leave, or items.
Schedule with_list(Schedule schedule, std::int64_t sent_flag, std::int64_t items) {
  schedule.lists = {{sent_flag, items}};
  schedule.streams[0][0].payload = 0;
  return schedule;
}

TEST(PutGet, FlaggedPutWithInterrupts) {
  const Result result = run(of({{op(Kind::put, 1, s, 4)}, {flag(4)}}), interrupts);
  EXPECT_DOUBLE_EQ(finish(result, 0), put_cpu + epilog);
  EXPECT_DOUBLE_EQ(result.ranks[0].overhead_s, put_cpu + epilog);
  // The handler needs as long as the paper says, and longer to raise the flag.
  EXPECT_DOUBLE_EQ(finish(result, 1), put_cpu + wire * s + L + receive_cpu + rtc_rcv);
  // While it waits, the handler takes nothing from it.
  EXPECT_DOUBLE_EQ(result.ranks[1].overhead_s, check_time);
  EXPECT_DOUBLE_EQ(result.ranks[1].waiting_s, finish(result, 1) - check_time);
}

TEST(PutGet, FlaggedPutWithAController) {
  const Result result = run(of({{op(Kind::put, 1, s, 4)}, {flag(4)}}), controller);
  EXPECT_DOUBLE_EQ(finish(result, 0), prolog + enqueue + epilog);
  EXPECT_DOUBLE_EQ(finish(result, 1), prolog + enqueue + dma + wire * s + L + receive_dma);
}

TEST(PutGet, InterruptsLengthenWhatIsComputed) {
  const Schedule schedule = of({{op(Kind::put, 1, s)}, {compute(1000)}});
  const Result a = run(schedule, interrupts), b = run(schedule, controller);
  EXPECT_DOUBLE_EQ(finish(a, 1), 1000 + receive_cpu);
  EXPECT_DOUBLE_EQ(a.ranks[1].compute_s, 1000);
  EXPECT_DOUBLE_EQ(a.ranks[1].overhead_s, receive_cpu);
  EXPECT_DOUBLE_EQ(finish(b, 1), 1000);
  EXPECT_DOUBLE_EQ(b.ranks[1].overhead_s, 0);
}

TEST(PutGet, InterruptsBeforeAndAfterComputingCostNothing) {
  // Arrives at put_cpu + wire s + L = 92, when rank 1 has computed for 50 and waits.
  const double arrival = put_cpu + wire * s + L;
  Operation put = op(Kind::put, 1, s, 4);
  const Result idle = run(of({{put}, {compute(50), flag(4), compute(100)}}), interrupts);
  EXPECT_DOUBLE_EQ(finish(idle, 1), arrival + receive_cpu + rtc_rcv + 100);
  EXPECT_DOUBLE_EQ(idle.ranks[1].overhead_s, check_time);
  // Two arrivals while it waits for the second: served one after another.
  const Result two =
      run(of({{op(Kind::put, 2, s, 4)}, {compute(1), op(Kind::put, 2, s, 4)}, {flag(4, 2)}}),
          interrupts);
  EXPECT_DOUBLE_EQ(finish(two, 2), arrival + 2 * (receive_cpu + rtc_rcv));
}

TEST(PutGet, AnInterruptBeforeTheEndOfAWaitDelaysIt) {
  // Rank 1 waits for a flag that rank 0 raises; rank 2's data arrive 1 later, while the handler
  // of the first is busy: the wait ends after both.
  const Result result = run(
      of({{op(Kind::put, 1, s, 4)}, {flag(4), compute(100)}, {compute(1), op(Kind::put, 1, s)}}),
      interrupts);
  EXPECT_DOUBLE_EQ(finish(result, 1),
                   put_cpu + wire * s + L + receive_cpu + rtc_rcv + receive_cpu + 100);
  EXPECT_DOUBLE_EQ(result.ranks[1].overhead_s, check_time);
}

TEST(PutGet, InsideALibraryCallAnInterruptIsServedAtItsEnd) {
  // Rank 1's second put begins at 70 and ends at 70 + put_cpu + epilog = 115; data arrive at 92.
  const Result result =
      run(of({{op(Kind::put, 1, s)}, {compute(70), op(Kind::put, 0, s)}}), interrupts);
  EXPECT_DOUBLE_EQ(finish(result, 1), 70 + put_cpu + epilog + receive_cpu);
}

TEST(PutGet, TheSendingEndsFlagIsRaisedWhenTheDataHaveLeft) {
  const Schedule schedule = with_list(of({{op(Kind::put, 1, s), flag(3)}, {}}), 3, 0);
  EXPECT_DOUBLE_EQ(finish(run(schedule, controller), 0), prolog + enqueue + dma + wire * s);
  EXPECT_DOUBLE_EQ(finish(run(schedule, interrupts), 0), put_cpu + wire * s + rtc_send);
  // Without a machine's costs as well: a message's. Of a get it is raised at the target.
  EXPECT_DOUBLE_EQ(finish(run(schedule), 0), o_s + G * (s - 1));
  const Schedule get = with_list(of({{op(Kind::get, 1, s)}, {flag(3)}}), 3, 0);
  EXPECT_DOUBLE_EQ(finish(run(get), 1), o_s + L + G * (s - 1));
  EXPECT_DOUBLE_EQ(finish(run(get, controller), 1), prolog + enqueue + dma + L + dma + wire * s);
}

TEST(PutGet, Get) {
  const Schedule schedule = of({{op(Kind::get, 1, s, 4), flag(4)}, {compute(1000)}});
  const Result a = run(schedule, interrupts), b = run(schedule, controller);
  const double serve = rtc + dma + post * s;
  EXPECT_DOUBLE_EQ(finish(a, 0),
                   prolog + enqueue + dma + L + serve + wire * s + L + receive_cpu + rtc_rcv);
  EXPECT_DOUBLE_EQ(finish(a, 1), 1000 + serve);
  EXPECT_DOUBLE_EQ(finish(b, 0), prolog + enqueue + dma + L + dma + wire * s + L + receive_dma);
  EXPECT_DOUBLE_EQ(finish(b, 1), 1000);
}

TEST(PutGet, ARequestWaitsForTheMessageThatIsLeavingAndNoOther) {
  // Ranks 1 and 2 get from rank 0, whose data for rank 1 leave from 47 to 87 and those for rank 2
  // later; rank 0's own request is ready at 67.
  const Operation ask = op(Kind::get, 0, s, 4);
  const Schedule schedule = of(
      {{compute(60), op(Kind::get, 1, s, 4), flag(4)}, {ask, flag(4)}, {compute(1), ask, flag(4)}});
  const double leaving = prolog + enqueue + dma + L + dma, left = leaving + wire * s;
  ASSERT_LT(leaving, 60 + prolog + enqueue);
  ASSERT_GT(left, 60 + prolog + enqueue);
  const Result result = run(schedule, controller);
  EXPECT_DOUBLE_EQ(finish(result, 0), left + dma + L + dma + wire * s + L + receive_dma);
  EXPECT_DOUBLE_EQ(finish(result, 2), left + dma + wire * s + L + receive_dma);
}

TEST(PutGet, SendsWriteTheirBytesBack) {
  const Schedule schedule = of({{send(1, 80)}, {receive(0, 80)}});
  EXPECT_DOUBLE_EQ(finish(run(schedule, interrupts), 1), o_s + post * 80 + G * 79 + L + o_r);
}

TEST(PutGet, AcknowledgementsInterruptTheOrigin) {
  const Schedule schedule = of({{op(Kind::put, 1, s), op(Kind::flush, -1)}, {}});
  EXPECT_DOUBLE_EQ(finish(run(schedule, controller), 0),
                   prolog + enqueue + dma + wire * s + L + receive_dma + L);
  EXPECT_DOUBLE_EQ(finish(run(schedule, interrupts), 0),
                   put_cpu + wire * s + L + receive_cpu + L + acknowledge);
  const Schedule computing = of({{op(Kind::put, 1, s), compute(1000), op(Kind::flush, -1)}, {}});
  EXPECT_DOUBLE_EQ(finish(run(computing, interrupts), 0), put_cpu + epilog + 1000 + acknowledge);
}

TEST(PutGet, TheControllerTakesOneCommandAfterAnother) {
  const Operation put = op(Kind::put, 1, s, 4);
  const Result result = run(of({{put, put, put, compute(5)}, {flag(4, 3)}}), controller);
  EXPECT_DOUBLE_EQ(finish(result, 0), 3 * (prolog + enqueue + epilog) + 5);
  EXPECT_DOUBLE_EQ(finish(result, 1), prolog + enqueue + 3 * (dma + wire * s) + L + receive_dma);
}

TEST(PutGet, AQueueThatOverflowsSpills) {
  // Of five commands one is at work, two fit, two spill.
  const Operation put = op(Kind::put, 1, s, 4);
  const Schedule schedule = of({{put, put, put, put, put}, {flag(4, 5)}});
  const auto options = [](int words) {
    return nlohmann::json{
        {"queue", {{"words", words}, {"words_per_command", 4}, {"spill_time", 30}}}};
  };
  const double endless = finish(run(schedule, controller), 1);
  EXPECT_DOUBLE_EQ(finish(run(schedule, controller, options(8)), 1), endless + 2 * 30);
  EXPECT_DOUBLE_EQ(finish(run(schedule, controller, options(16)), 1), endless);
  EXPECT_NE(error_of([&] { run(schedule, interrupts, options(8)); }).find("message controller"),
            std::string::npos);
}

TEST(PutGet, WithoutStridesEveryItemIsAMessage) {
  const Schedule schedule = with_list(of({{op(Kind::put, 1, s, 4)}, {flag(4)}}), 0, 10);
  const nlohmann::json off = {{"strides", false}};
  EXPECT_DOUBLE_EQ(finish(run(schedule, controller), 1),
                   prolog + enqueue + dma + wire * s + L + receive_dma);
  const Result a = run(schedule, controller, off), b = run(schedule, interrupts, off);
  EXPECT_DOUBLE_EQ(finish(a, 1), 10 * (prolog + enqueue) + 10 * dma + wire * s + L + receive_dma);
  EXPECT_EQ(a.messages, 10U);
  EXPECT_DOUBLE_EQ(finish(b, 0), 10 * (prolog + enqueue + dma + epilog) + post * s);
  EXPECT_DOUBLE_EQ(finish(b, 1) - (finish(b, 0) - 10 * epilog),
                   wire * s + L + 10 * (rtc + receive_dma) + flush_time * s + rtc_rcv);
}

TEST(PutGet, LinksAreSharedOnlyWhenAskedTo) {
  nlohmann::json document = machine(true);
  document["model"] = "crossbar";
  document["topology"] = {{"link", {{"gap_per_byte_s", wire}}}};
  const Schedule schedule = of({{op(Kind::put, 2, s, 4)}, {op(Kind::put, 2, s, 4)}, {flag(4, 2)}});
  const double alone = prolog + enqueue + dma + wire * s + L + receive_dma;
  EXPECT_DOUBLE_EQ(finish(run(schedule, document, {{"sharing", "none"}}), 2), alone);
  EXPECT_NEAR(finish(run(schedule, document), 2), alone + wire * (s - 1), 1e-9);
}

TEST(PutGet, CollectivesByFormulaAndRunTimeSystem) {
  nlohmann::json document = machine(false);
  document["collectives"] = {{"allreduce",
                              {{"algorithm", "hardware"},
                               {"hardware_s", 2},
                               {"stage_s", 3},
                               {"stage_s_per_byte", 0.5},
                               {"stage_wire_s_per_byte", 0.25},
                               {"wire_s_per_byte", 0.125}}}};
  const Schedule schedule = all(5, {collective(Collective::allreduce, 8)});
  const nlohmann::json options = {{"compute_factor", 0.5},
                                  {"run_time_system", {{"collective_s", 10}}}};
  const Result result = run(schedule, document, options);
  const double cpu = 2 + 3 * (3 + 0.5 * 8), network = 8 * (3 * 0.25 + 0.125);
  EXPECT_DOUBLE_EQ(result.makespan_s, 5 + cpu + network);
  EXPECT_DOUBLE_EQ(result.ranks[0].runtime_s, 5);
  EXPECT_DOUBLE_EQ(result.ranks[0].overhead_s, cpu);
  EXPECT_DOUBLE_EQ(result.ranks[0].waiting_s, network);
}

TEST(PutGet, WhatCannotBeAsked) {
  const Schedule schedule = of({{op(Kind::put, 1, s)}, {}});
  const auto error = [&](const nlohmann::json& document, const nlohmann::json& options) {
    return error_of([&] { run(schedule, document, options); });
  };
  EXPECT_NE(error(interrupts, {{"engine", "run_until_blocked"}}).find("time-ordered"),
            std::string::npos);
  EXPECT_NE(error(interrupts, {{"sharing", "max_min"}}).find("max_min"), std::string::npos);
  EXPECT_NE(error(flat_document(), {{"strides", false}}).find("put_get"), std::string::npos);
  nlohmann::json lacking = interrupts;
  lacking["put_get"].erase("put_msg_time");
  EXPECT_NE(error(lacking, nlohmann::json::object()).find("put_msg_time"), std::string::npos);
  const Schedule accumulate = of({{op(Kind::accumulate, 1, s)}, {}});
  EXPECT_NE(error_of([&] { run(accumulate, interrupts); }).find("accumulates"), std::string::npos);
}

// Every rank puts to random others, computes and waits for as many as it will get.
Schedule random_puts(std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::size_t ranks = 2 + random() % 6;
  std::vector<Stream> streams(ranks);
  std::vector<std::uint64_t> raised(ranks, 0);
  for (int i = 0; i < 60; ++i) {
    const std::size_t from = random() % ranks, to = random() % ranks;
    if (random() % 2 == 0) streams[from].push_back(compute(random() % 200));
    if (random() % 4 == 0) {
      streams[from].push_back(op(Kind::get, static_cast<std::int32_t>(to), random() % 300, 2));
      streams[from].push_back(flag(2));
      continue;
    }
    streams[from].push_back(op(Kind::put, static_cast<std::int32_t>(to), random() % 300, 1));
    ++raised[to];
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (raised[rank] > 0) streams[rank].push_back(flag(1, raised[rank]));
    streams[rank].push_back(op(Kind::flush, -1));
    streams[rank].push_back(collective(Collective::barrier));
  }
  return of(streams);
}

TEST(PutGet, PartsAddUpAndHardwareIsNeverSlower) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const Schedule schedule = random_puts(seed);
    nlohmann::json a = interrupts, b = controller;
    for (nlohmann::json* one : {&a, &b})
      (*one)["collectives"] = {{"barrier", {{"algorithm", "hardware"}, {"hardware_s", 2}}}};
    const Result slow = run(schedule, a, {{"critical_path", true}}), fast = run(schedule, b);
    for (const Result* result : {&slow, &fast})
      for (const RankResult& rank : result->ranks)
        ASSERT_NEAR(
            rank.finish_s,
            rank.compute_s + rank.overhead_s + rank.runtime_s + rank.waiting_s + rank.file_s,
            1e-9 * rank.finish_s)
            << "seed " << seed;
    ASSERT_LE(fast.makespan_s, slow.makespan_s) << "seed " << seed;
    for (std::size_t rank = 0; rank < slow.ranks.size(); ++rank)
      ASSERT_EQ(slow.ranks[rank].compute_s, fast.ranks[rank].compute_s);
  }
}

}  // namespace
}  // namespace hakaru::replay::test
