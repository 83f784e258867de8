#include <gtest/gtest.h>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay {
namespace {

using namespace test;

Operation fork(std::int32_t thread, std::int32_t request) {
  Operation operation = op(Kind::fork, -1, 0, 0, request);
  operation.payload = thread;
  return operation;
}

// Streams of ranks, then of threads.
Schedule with_threads(std::vector<Stream> ranks, std::vector<Stream> threads) {
  Schedule schedule = of(std::move(ranks));
  for (Stream& thread : threads) schedule.streams.push_back(std::move(thread));
  schedule::validate(schedule);
  return schedule;
}

void expect_parts_add_up(const Result& result) {
  for (const RankResult& r : result.ranks)
    EXPECT_DOUBLE_EQ(r.compute_s + r.overhead_s + r.runtime_s + r.waiting_s + r.file_s, r.finish_s);
}

const nlohmann::json engines[] = {{{"engine", "run_until_blocked"}}, {{"engine", "time_ordered"}}};

TEST(Threads, HaveClocksOfTheirOwnUntilTheyAreJoined) {
  const Schedule schedule =
      with_threads({{compute(2), fork(2, 0), compute(3), send(1, 1, 2), wait(0), compute(1)},
                    {receive(0, 1, 1), receive(0, 1, 2)}},
                   {{compute(5), send(1, 1, 1)}});
  for (const nlohmann::json& options : engines) {
    const Result result = run(schedule, flat_document(), options);
    EXPECT_DOUBLE_EQ(finish(result, 0), 2 + 5 + o_s + 1);
    EXPECT_DOUBLE_EQ(finish(result, 1), 2 + 5 + o_s + L + 2 * o_r);
    EXPECT_DOUBLE_EQ(result.ranks[0].compute_s, 2 + 5 + 1);  // the thread's, which ended last
    EXPECT_DOUBLE_EQ(result.ranks[0].overhead_s, o_s);
    EXPECT_EQ(result.messages, 2u);
    expect_parts_add_up(result);
  }
}

TEST(Threads, TheRankGoesOnAloneWhenItsThreadEndsFirst) {
  const Schedule schedule =
      with_threads({{fork(1, 0), compute(9), wait(0)}}, {{compute(5), compute(1)}});
  const Result result = run(schedule);
  EXPECT_DOUBLE_EQ(finish(result, 0), 9);
  EXPECT_DOUBLE_EQ(result.ranks[0].compute_s, 9);
}

TEST(Threads, ExchangeWithThreadsOfTheOtherRankByTag) {
  // Neither rank could do this with one thread: each would wait for the other's second message.
  const Schedule schedule =
      with_threads({{fork(2, 0), receive(1, 1, 1), send(1, 1, 2), wait(0)},
                    {fork(3, 0), receive(0, 1, 2), send(0, 1, 3), wait(0)}},
                   {{receive(1, 1, 3), compute(4)}, {compute(1), send(0, 1, 1)}});
  for (const nlohmann::json& options : engines) {
    const Result result = run(schedule, flat_document(), options);
    const double first = 1 + o_s + L + o_r, second = first + o_s + L + o_r,
                 third = second + o_s + L + o_r;
    EXPECT_DOUBLE_EQ(finish(result, 0), third + 4);
    EXPECT_DOUBLE_EQ(finish(result, 1), second + o_s);
    expect_parts_add_up(result);
  }
}

TEST(Threads, ACommunicatorForEach) {
  Schedule schedule =
      with_threads({{fork(2, 0), collective(Collective::barrier), wait(0)},
                    {fork(3, 0), compute(7), collective(Collective::barrier), wait(0)}},
                   {{compute(3)}, {}});
  schedule.communicators.push_back({"copy", {}, false});
  const Operation other = on(collective(Collective::barrier), 1);
  schedule.streams[2].push_back(other);
  schedule.streams[3].push_back(other);
  const Result result = run(schedule);
  const double barrier = o_s + L + o_r;
  EXPECT_DOUBLE_EQ(finish(result, 0), 7 + barrier);  // the other's main thread came at 7
  EXPECT_DOUBLE_EQ(finish(result, 1), 3 + barrier);  // the other's second thread at 3
}

TEST(Threads, WaitForWhatAnotherStarts) {
  for (const std::uint64_t bytes : {1ull, 200ull}) {
    const Schedule schedule =
        with_threads({{fork(2, 0), compute(4), isend(1, bytes, 1), wait(0)}, {receive(0, bytes)}},
                     {{wait(1), compute(1)}});
    for (const nlohmann::json& options : engines) {
      const Result result = run(schedule, flat_document(), options);
      // At once, or when the last byte has left after two latencies.
      const double left = 4 + o_s + 2 * L + G * 199;
      EXPECT_DOUBLE_EQ(finish(result, 0), bytes == 1 ? 4 + o_s : left + 1);
      expect_parts_add_up(result);
    }
  }
}

TEST(Threads, ARankThatWaitsForABlockedThreadIsNamed) {
  const Schedule stuck = with_threads({{fork(1, 0), wait(0)}}, {{receive(0, 1, 9)}});
  EXPECT_NE(error_of([&] { run(stuck); }).find("for a thread: receive from rank 0, tag 9"),
            std::string::npos);
  const Schedule forgotten = with_threads({{fork(1, 0)}}, {{receive(0, 1, 9)}});
  EXPECT_NE(error_of([&] { run(forgotten); }).find("never ends"), std::string::npos);
  const Schedule unstarted = with_threads({{fork(1, 0), wait(0)}}, {{wait(3)}});
  EXPECT_NE(error_of([&] { run(unstarted); }).find("which no thread has started"),
            std::string::npos);
}

TEST(Threads, AreRefusedWhereTheyCannotBe) {
  const auto refused = [](const Schedule& schedule) {
    return error_of([&] { schedule::validate(schedule); });
  };
  Schedule schedule = with_threads({{fork(1, 0), wait(0)}}, {{compute(1)}});
  schedule.streams[1].push_back(op(Kind::fence));
  EXPECT_NE(refused(schedule).find("a thread that was forked cannot do it"), std::string::npos);
  schedule.streams[1] = {fork(1, 1)};
  EXPECT_NE(refused(schedule).find("a thread that was forked cannot do it"), std::string::npos);
  schedule = of({{fork(1, 0)}, {compute(1)}});
  EXPECT_NE(refused(schedule).find("which is a rank's"), std::string::npos);
  schedule = of({{fork(5, 0)}});
  EXPECT_NE(refused(schedule).find("its thread is not listed"), std::string::npos);
}

}  // namespace
}  // namespace hakaru::replay
