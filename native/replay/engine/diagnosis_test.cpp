#include <gtest/gtest.h>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

// Empty when `text` mentions all of it, else the text.
std::string lacks(const std::string& text, std::initializer_list<const char*> mentions) {
  for (const char* one : mentions)
    if (text.find(one) == std::string::npos) return std::string("no '") + one + "' in: " + text;
  return "";
}

std::string problem(const Schedule& schedule) {
  return error_of([&schedule] { check(schedule); });
}

TEST(Diagnosis, NamesTheCycle) {
  const Schedule schedule = of({{receive(1, 8, 7), send(1, 8)},
                                {receive(2, 8), send(0, 8, 7)},
                                {receive(0, 16), send(1, 8)}});
  EXPECT_EQ(
      lacks(problem(schedule), {"3 of 3 ranks are blocked",
                                "rank 0: receive from rank 1, tag 7, 8 bytes, communicator 'world'",
                                "rank 2: receive from rank 0, tag 0, 16 bytes",
                                "they wait for each other: 0 -> 1 -> 2 -> 0"}),
      "");
  EXPECT_EQ(error_of([&] { run(schedule); }).substr(0, 30), problem(schedule).substr(0, 30));
}

TEST(Diagnosis, NamesTenRanksAndCountsTheOthers) {
  EXPECT_EQ(lacks(problem(all(64, {relative(receive(-1, 8))})), {"64 of 64", "and 54 more", "..."}),
            "");
}

TEST(Diagnosis, TagAndCommunicatorMatter) {
  EXPECT_EQ(lacks(problem(of({{send(1, 8, 1)}, {receive(0, 8, 2)}})),
                  {"rank 1: receive from rank 0, tag 2"}),
            "");
  Schedule schedule = of({{on(send(1, 8), 1)}, {receive(0, 8)}});
  schedule.communicators.push_back({"rows", {{0, 1}}, false});
  EXPECT_EQ(lacks(problem(schedule), {"1 of 2"}), "");
}

TEST(Diagnosis, StandardSendsThatRelyOnBuffering) {
  const Schedule schedule = of({{send(1, 8), receive(1, 8)}, {send(0, 8), receive(0, 8)}});
  EXPECT_EQ(problem(schedule), "");
  EXPECT_EQ(lacks(error_of([&] { check(schedule, 0); }), {"they wait for each other: 0 -> 1 -> 0"}),
            "");
}

TEST(Diagnosis, SaysWhatARequestWaitsFor) {
  EXPECT_EQ(lacks(problem(of({{ireceive(1, 8, 5), wait(5)}, {}})),
                  {"rank 0: wait of request 5 for ireceive from rank 1, tag 0, 8 bytes"}),
            "");
}

TEST(Diagnosis, NothingMayBeLeft) {
  EXPECT_EQ(lacks(problem(of({{send(1, 8, 3)}, {}})),
                  {"a message was sent and not received: from rank 0 to rank 1, tag 3"}),
            "");
  EXPECT_EQ(
      lacks(problem(of({{ireceive(1, 8, 5)}, {}})), {"a receive was posted that nobody sent to"}),
      "");
}

TEST(Diagnosis, RequestsAreUsedProperly) {
  EXPECT_EQ(lacks(problem(of({{wait(1)}})), {"nothing was started with it"}), "");
  EXPECT_EQ(lacks(problem(of({{isend(1, 8, 1), isend(1, 8, 1)}, {receive(0, 8)}})),
                  {"starts a request again"}),
            "");
}

TEST(Diagnosis, CollectivesMustAgree) {
  EXPECT_EQ(
      lacks(
          problem(of({{collective(Collective::barrier)}, {collective(Collective::allreduce, 8)}})),
          {"different collectives", "rank 0 calls barrier", "rank 1 calls allreduce of 8 bytes"}),
      "");
  EXPECT_EQ(lacks(problem(of({{collective(Collective::allreduce, 16)},
                              {collective(Collective::allreduce, 8)}})),
                  {"different lengths"}),
            "");
  EXPECT_EQ(lacks(problem(of({{collective(Collective::broadcast, 8, 0)},
                              {collective(Collective::broadcast, 8, 1)}})),
                  {"different roots"}),
            "");
}

TEST(Diagnosis, SaysWhoHasNotComeToACollective) {
  EXPECT_EQ(
      lacks(problem(of({{collective(Collective::barrier)}, {collective(Collective::barrier)}, {}})),
            {"2 of 3 ranks of communicator 'world'", "rank 0: barrier"}),
      "");
}

}  // namespace
}  // namespace hakaru::replay::test
