// Sends and receives that belong together beforehand: which do, and that it changes nothing.
#include "native/replay/engine/pairs.hpp"

#include <gtest/gtest.h>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

std::vector<std::int32_t> numbers(const Schedule& schedule, std::uint32_t stream = 0) {
  const auto network = make_network(flat_document(), schedule.ranks);
  const Pairs pairs(schedule, Paths(*network));
  const std::int32_t* found = pairs.of_stream(stream);
  if (found == nullptr) return {};
  return {found + 1, found + schedule.streams[stream].size() - 1};
}

// What records its critical path takes no pairs.
void expect_as_without(const Schedule& schedule) {
  const Result paired = run(schedule);
  const Result plain = run(schedule, flat_document(), {{"critical_path", true}});
  for (std::size_t rank = 0; rank < paired.ranks.size(); ++rank) {
    EXPECT_EQ(finish(paired, rank), finish(plain, rank)) << "rank " << rank;
    EXPECT_EQ(paired.ranks[rank].waiting_s, plain.ranks[rank].waiting_s) << "rank " << rank;
  }
}

TEST(Pairs, ARingIsPaired) {
  const Schedule ring =
      all(5, looped({relative(ireceive(-1, 8, 3)), relative(isend(1, 8, 0)), wait(3), wait(0)}));
  EXPECT_EQ(numbers(ring), (std::vector<std::int32_t>{3, 3, -1, -1}));
  expect_as_without(ring);
}

TEST(Pairs, OnlyWhereALoopPays) {
  const Stream body = {relative(ireceive(-1, 8, 3)), relative(isend(1, 8, 0)), wait(3), wait(0)};
  EXPECT_EQ(numbers(all(5, looped(body, 2))), std::vector<std::int32_t>{});
}

TEST(Pairs, TwoMessagesOfOneKeyAreNot) {
  const Stream twice = {relative(ireceive(-1, 8, 0)),
                        relative(ireceive(-1, 9, 1)),
                        relative(isend(1, 8, 2)),
                        relative(isend(1, 9, 3)),
                        wait(0),
                        wait(1),
                        wait(2),
                        wait(3)};
  EXPECT_EQ(numbers(all(5, looped(twice))), std::vector<std::int32_t>(8, -1));
  Stream tagged = twice;
  tagged[1].tag = tagged[3].tag = 7;
  EXPECT_EQ(numbers(all(5, looped(tagged))),
            (std::vector<std::int32_t>{0, 1, 0, 1, -1, -1, -1, -1}));
  expect_as_without(all(5, looped(twice)));
}

TEST(Pairs, LongMessagesAndNumbersUsedTwiceAreNot) {
  Stream body = {relative(ireceive(-1, 101, 0)), relative(isend(1, 101, 1)), wait(0), wait(1)};
  EXPECT_EQ(numbers(all(5, looped(body))), std::vector<std::int32_t>(4, -1));
  body = {relative(ireceive(-1, 8, 0)),
          relative(isend(1, 8, 1)),
          wait(0),
          wait(1),
          relative(isend(1, 8, 0, 7)),
          wait(0),
          relative(receive(-1, 8, 7))};
  EXPECT_EQ(numbers(all(5, looped(body))), std::vector<std::int32_t>(7, -1));
  expect_as_without(all(5, looped(body)));
}

// A line of ranks: those at its ends have streams of their own.
TEST(Pairs, AcrossStreams) {
  const Schedule line = of({looped({compute(3), isend(1, 8, 0), wait(0)}),
                            looped({ireceive(0, 8, 1), isend(2, 8, 0), wait(1), wait(0)}),
                            looped({ireceive(1, 8, 5), wait(5)})});
  EXPECT_EQ(numbers(line, 0), (std::vector<std::int32_t>{-1, 1, -1}));
  EXPECT_EQ(numbers(line, 1), (std::vector<std::int32_t>{1, 5, -1, -1}));
  EXPECT_EQ(numbers(line, 2), (std::vector<std::int32_t>{5, -1}));
  expect_as_without(line);
}

// One send that reaches different numbers, or a receive that nobody sends to, leave the others
// unpaired that depend on them.
TEST(Pairs, HalfAPairIsNone) {
  Stream inner = {relative(ireceive(-1, 8, 1)), relative(isend(1, 8, 0)), wait(1), wait(0)};
  Stream other = {relative(ireceive(-1, 8, 2)), relative(isend(1, 8, 0)), wait(2), wait(0)};
  Schedule mixed = of({looped(inner), looped(other)});
  mixed.ranks = 4;
  mixed.stream_of_rank = {0, 0, 0, 1};
  EXPECT_EQ(numbers(mixed, 0), std::vector<std::int32_t>(4, -1));
  EXPECT_EQ(numbers(mixed, 1), std::vector<std::int32_t>(4, -1));
  expect_as_without(mixed);
}

// The sender is done before the first receive is posted; then messages and receives in turn.
TEST(Pairs, ASenderMayBeFarAhead) {
  Stream sink = looped({ireceive(0, 8, 0), wait(0)}, 50);
  sink.insert(sink.begin(), compute(5));
  sink[1].payload += 1;
  sink.back().payload = 1;
  expect_as_without(of({looped({compute(0.1), isend(1, 8, 0), wait(0)}, 50), sink}));
  const Stream asks = looped({isend(1, 8, 0), wait(0), isend(1, 8, 1, 1), wait(1),
                              ireceive(1, 8, 2), compute(0.5), wait(2)});
  const Stream answers = looped({compute(2), ireceive(0, 8, 0), ireceive(0, 8, 1, 1), wait(1),
                                 isend(0, 8, 2), wait(0), wait(2)});
  expect_as_without(of({asks, answers}));
}

TEST(Pairs, WhatIsLeftOverIsNamed) {
  const Stream sends = looped({isend(1, 8, 0, 4), wait(0)}),
               takes = looped({ireceive(0, 8, 0, 4), wait(0)});
  Stream more = sends;
  more[0].bytes += 1;
  EXPECT_NE(error_of([&] {
              run(of({more, takes}));
            })
                .find("a message was sent and not received: from rank 0 to rank 1, tag 4, "
                      "communicator 'world'"),
            std::string::npos);
  more[0].bytes += 5;
  EXPECT_NE(error_of([&] { run(of({more, takes})); }).find("(6 of it)"), std::string::npos);
  Stream posts = looped({compute(1)});
  posts.push_back(ireceive(0, 8, 0, 4));
  Stream none = looped({isend(1, 8, 0, 4), wait(0)});
  none[0].bytes = 0;
  const std::string left = error_of([&] { run(of({none, posts})); });
  EXPECT_NE(left.find("a receive was posted that nobody sent to: from rank 0 to rank 1, tag 4"),
            std::string::npos)
      << left;
  Stream short_ = takes;
  short_[1].bytes = 4;
  EXPECT_NE(error_of([&] {
              run(of({sends, short_}));
            }).find("receives 8 bytes into 4"),
            std::string::npos);
}

}  // namespace
}  // namespace hakaru::replay::test
