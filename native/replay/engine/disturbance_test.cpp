// Levels where messages disturb each other, and computing disturbs messages.
#include <gtest/gtest.h>

#include <cmath>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

// Both start a message, compute, and wait.
Schedule exchange(std::uint64_t bytes, double work_s) {
  std::vector<Stream> streams;
  for (const std::int32_t other : {1, 0}) {
    streams.push_back({ireceive(other, bytes, 0), isend(other, bytes, 1)});
    if (work_s > 0) streams.back().push_back(compute(work_s));
    streams.back().push_back(wait(0));
    streams.back().push_back(wait(1));
  }
  return of(streams);
}

TEST(Disturbance, MessagesThatCrossComeLater) {
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const Result result = run(exchange(81, 0), disturbed(), {{"engine", engine}});
    for (const std::size_t rank : {0, 1})
      EXPECT_DOUBLE_EQ(finish(result, rank), o_s + t(81) + L + crossing + o_r) << engine;
  }
}

// Where memory is shared, all the time of a message may be its overheads.
TEST(Disturbance, MessagesWithoutAFlightCrossToo) {
  nlohmann::json document = disturbed();
  document["levels"]["switch"]["later"] = {{{"bytes", 0}, {"value_s", -1000}}};
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const Result result = run(exchange(81, 0), document, {{"engine", engine}});
    for (const std::size_t rank : {0, 1})
      EXPECT_DOUBLE_EQ(finish(result, rank), o_s + crossing + o_r) << engine;
  }
}

TEST(Disturbance, ExchangesRightAfterEachOtherTakeLonger) {
  nlohmann::json document = disturbed();
  document["levels"]["switch"]["crowding"] = 8;
  document["levels"]["switch"]["crowded_within_s"] = 4;
  const auto second_s = [&](double apart_s) {
    std::vector<Stream> streams;
    for (const std::int32_t other : {1, 0}) {
      Stream stream = {ireceive(other, 81, 0), isend(other, 81, 1), wait(0), wait(1)};
      stream.push_back(compute(apart_s));
      const Stream again = stream;
      stream.insert(stream.end(), again.begin(), again.end());
      streams.push_back(stream);
    }
    const double one_s = o_s + t(81) + L + crossing + o_r;
    return finish(run(of(streams), document), 0) - 2 * (one_s + apart_s);
  };
  EXPECT_DOUBLE_EQ(second_s(0), 8);
  EXPECT_DOUBLE_EQ(second_s(1), 6);
  EXPECT_DOUBLE_EQ(second_s(4), 0);
}

// Combining is a part of the receive: however long it takes, the next exchange comes right after
// it.
TEST(Disturbance, SumsRightAfterEachOtherTakeLonger) {
  nlohmann::json document = disturbed();
  document["levels"]["switch"]["crowding"] = 8;
  document["levels"]["switch"]["crowded_within_s"] = 4;
  document["reduction_s_per_byte"] = 100;
  document["collectives"] = {{"allreduce", {{"algorithm", "recursive_doubling"}}}};
  const auto second_s = [&](double apart_s) {
    const Stream rank = {collective(schedule::Collective::allreduce, 8), compute(apart_s),
                         collective(schedule::Collective::allreduce, 8)};
    const double one_s = o_s + t(8) + L + crossing + o_r + 800;
    return finish(run(of({rank, rank}), document), 0) - 2 * one_s - apart_s;
  };
  EXPECT_DOUBLE_EQ(second_s(0), 8);
  EXPECT_DOUBLE_EQ(second_s(1), 6);
  EXPECT_DOUBLE_EQ(second_s(4), 0);
}

// A send right after a receive waits until the other rank is done with that, less any work between.
TEST(Disturbance, SendsRightAfterReceivesTakeLonger) {
  nlohmann::json document = disturbed();
  document["levels"]["switch"]["crowded_within_s"] = 4;
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    document["levels"]["switch"]["answering"] = 8;
    const auto longer_s = [&](double work_s) {
      const Schedule answer =
          of({{send(1, 81), receive(1, 81)}, {receive(0, 81), compute(work_s), send(0, 81)}});
      return finish(run(answer, document, {{"engine", engine}}), 0) - 2 * (o_s + t(81) + L + o_r) -
             work_s;
    };
    EXPECT_DOUBLE_EQ(longer_s(0), 8) << engine;
    EXPECT_DOUBLE_EQ(longer_s(1), 7) << engine;
    EXPECT_DOUBLE_EQ(longer_s(4), 4) << engine;
    EXPECT_DOUBLE_EQ(longer_s(8), 0) << engine;
    document["levels"]["switch"]["answering"] = -1;  // begun before the receive has ended
    EXPECT_DOUBLE_EQ(longer_s(0), -1) << engine;
    EXPECT_DOUBLE_EQ(longer_s(1), -0.75) << engine;
    document["levels"]["switch"]["answering"] = -1000;
    EXPECT_DOUBLE_EQ(longer_s(0), -o_s) << "no send takes less than no time, by " << engine;
  }
}

// Of a processor that serves the network: beside its way a send keeps it longer, or less long, than
// it takes until the message goes.
TEST(Disturbance, SendsKeepTheirProcessorsByTheComputingBefore) {
  for (const char* engine : {"run_until_blocked", "time_ordered"})
    for (const double kept_s : {o_s + 7, o_s - 1}) {
      nlohmann::json document = flat_document();
      document["levels"]["switch"]["sending"] = {
          {{"work_s", 1}, {"bytes", 81}, {"value_s", 2 * kept_s}},
          {{"work_s", 4}, {"bytes", 81}, {"value_s", kept_s}}};
      const Schedule one = of({{compute(4), send(1, 81)}, {receive(0, 81)}});
      const Result result = run(one, document, {{"engine", engine}});
      EXPECT_DOUBLE_EQ(finish(result, 0), 4 + kept_s) << engine;
      EXPECT_DOUBLE_EQ(finish(result, 1), 4 + o_s + t(81) + L + o_r) << "its way is its own";
      const Schedule soon = of({{compute(1), send(1, 81)}, {receive(0, 81)}});
      EXPECT_DOUBLE_EQ(finish(run(soon, document, {{"engine", engine}}), 0), 1 + 2 * kept_s);
      document["levels"]["switch"]["eager_limit_bytes"] = 80;
      EXPECT_GT(finish(run(one, document, {{"engine", engine}}), 0), 4 + o_s + t(81) + L)
          << "by rendezvous it waits for its receive";
    }
}

TEST(Disturbance, ReceivesOfWhatHasComeKeepTheirProcessors) {
  constexpr double late = 1000, kept_s = o_r + 7;
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["receiving"] = {{{"bytes", 81}, {"value_s", kept_s}}};
  for (const char* engine : {"run_until_blocked", "time_ordered"})
    for (const bool blocking : {true, false}) {
      const auto done_s = [&](double ready_s) {
        Stream receiver = {ireceive(0, 81, 0), compute(ready_s), wait(0)};
        if (blocking) receiver = {compute(ready_s), receive(0, 81)};
        return finish(run(of({{send(1, 81)}, receiver}), document, {{"engine", engine}}), 1);
      };
      const double there_s = o_s + t(81) + L;
      EXPECT_DOUBLE_EQ(done_s(late), late + kept_s) << engine;
      EXPECT_DOUBLE_EQ(done_s(1), there_s + o_r) << "waiting hides it, by " << engine;
      EXPECT_DOUBLE_EQ(done_s(there_s - 2), there_s - 2 + kept_s) << "but for the last of it";
    }
  document["levels"]["switch"]["receiving"][0]["value_s"] = -1;
  EXPECT_THROW(run(exchange(81, 0), document), base::UserError) << "no clock goes back";
}

// The begin of a send is its end less its overhead, which rounding puts before the last receive.
TEST(Disturbance, ExchangesRightAfterEachOtherTakeNoLongerWhereNothingSaysSo) {
  constexpr int times = 4;
  constexpr double overhead_s = 5.370973036069994;
  nlohmann::json document = disturbed();
  document["levels"]["switch"]["send_overhead"] = overhead_s;
  std::vector<Stream> streams;
  for (const std::int32_t other : {1, 0}) {
    Stream stream;
    for (int i = 0; i < times; ++i)
      for (const Operation& one :
           Stream{ireceive(other, 81, 0), isend(other, 81, 1), wait(0), wait(1)})
        stream.push_back(one);
    streams.push_back(stream);
  }
  const Result result = run(of(streams), document);
  const double one_s = overhead_s + t(81) + L + crossing + o_r;
  EXPECT_NEAR(finish(result, 0), times * one_s, 1e-9 * times * one_s);
  EXPECT_FALSE(std::isnan(result.ranks[0].waiting_s));
}

TEST(Disturbance, MessagesOneWayAtATimeDoNotCross) {
  const Result result =
      run(of({{send(1, 81), receive(1, 81)}, {receive(0, 81), send(0, 81)}}), disturbed());
  EXPECT_DOUBLE_EQ(finish(result, 0), 2 * (o_s + t(81) + L + o_r));
}

// Of many messages that have arrived each takes its turn, g + G (s - 1); a single one o_r.
TEST(Disturbance, ReceivesRightAfterOthersTakeTheirTurnAtMost) {
  constexpr double late = 100;
  for (const bool blocking : {false, true}) {
    Stream receiver = {ireceive(0, 1, 0), ireceive(0, 1, 1), compute(late), wait(0), wait(1)};
    if (blocking) receiver = {compute(late), receive(0, 1), receive(0, 1)};
    const Schedule two = of({{send(1, 1), send(1, 1)}, receiver});
    EXPECT_DOUBLE_EQ(finish(run(two, disturbed()), 1), late + o_r + g) << blocking;
    EXPECT_DOUBLE_EQ(finish(run(two, flat_document()), 1), late + 2 * o_r) << blocking;
    receiver.insert(receiver.end() - 1, compute(late));
    const Schedule apart = of({{send(1, 1), send(1, 1)}, receiver});
    EXPECT_DOUBLE_EQ(finish(run(apart, disturbed()), 1), 2 * late + o_r + g)
        << "the library found both at once";
    const Schedule long_ago = of({{send(1, 1), compute(2 * late), send(1, 1)}, receiver});
    EXPECT_GE(finish(run(long_ago, disturbed()), 1), 2 * late + 2 * o_r) << blocking;
  }
}

TEST(Disturbance, AProcessorMovesOneLongMessageAfterTheOther) {
  nlohmann::json document = disturbed(0);
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  const auto finish_s = [&](double gap_s) {
    document["levels"]["switch"]["gap"] = gap_s;
    const Stream sends = {isend(1, 100, 0, 1), isend(1, 100, 1, 2), wait(0), wait(1)};
    const Stream receives = {ireceive(0, 100, 0, 1), ireceive(0, 100, 1, 2), compute(200), wait(0),
                             wait(1)};
    return finish(run(of({sends, receives}), document), 1);
  };
  EXPECT_DOUBLE_EQ(finish_s(1), 200 + 2 * L + t(100) + 1 + t(100) + o_r);
  EXPECT_DOUBLE_EQ(finish_s(30), 200 + 2 * (2 * L + t(100)) + o_r) << "no longer than one alone";
  document["levels"]["switch"]["progress"][0]["value"] = 0.9;
  EXPECT_DOUBLE_EQ(finish_s(30), 200 + 2 * o_r) << "the network moves them meanwhile";
}

// Two long messages at once, each way or one way only: with others under way each takes its turn.
TEST(Disturbance, LongMessagesThatCrossFollowEachOtherByTheirTurn) {
  const auto finish_s = [](bool both_ways, double turn_s) {
    nlohmann::json document = disturbed(0);
    document["levels"]["switch"]["eager_limit_bytes"] = 50;
    document["levels"]["switch"]["crossing_turn"] = turn_s;
    const auto started = [](std::int32_t other, bool sends, bool receives) {
      Stream all;
      for (const std::int32_t tag : {1, 2}) {
        if (receives) all.push_back(ireceive(other, 100, tag, tag));
        if (sends) all.push_back(isend(other, 100, 2 + tag, tag));
      }
      for (const std::int32_t request : {1, 2, 3, 4})
        if (request > 2 ? sends : receives) all.push_back(wait(request));
      return all;
    };
    return finish(run(of({started(1, true, both_ways), started(0, both_ways, true)}), document), 1);
  };
  const double each_s = g + t(100);
  for (const double turn_s : {0.5 * each_s, 3 * each_s}) {
    EXPECT_DOUBLE_EQ(finish_s(false, turn_s), finish_s(false, 0)) << "nothing crosses";
    EXPECT_DOUBLE_EQ(finish_s(true, turn_s) - finish_s(true, 0), std::max(turn_s - each_s, 0.0));
  }
}

// What hides crossing, or waiting, hides it too; a processor that has its messages pays it.
TEST(Disturbance, PostingAReceiveTakesTheProcessor) {
  nlohmann::json document = disturbed();
  const double plain_s = finish(run(exchange(81, 0), document), 0),
               worked_s = finish(run(exchange(81, 100), document), 0);
  document["levels"]["switch"]["posting"] = 0.25;
  EXPECT_DOUBLE_EQ(finish(run(exchange(81, 0), document), 0), plain_s);
  EXPECT_DOUBLE_EQ(finish(run(exchange(81, 100), document), 0), worked_s + 0.25);
  const Schedule own = of({{ireceive(0, 81, 0), isend(0, 81, 1), wait(0), wait(1)}});
  EXPECT_DOUBLE_EQ(finish(run(own, document), 0), 0) << "to oneself nothing is posted";
}

TEST(Disturbance, PostingAReceiveAfterComputingTakesLonger) {
  nlohmann::json document = disturbed();
  document["levels"]["switch"]["posting"] = 0.25;
  document["levels"]["switch"]["posting_apart"] = 0.75;
  document["levels"]["switch"]["crowded_within_s"] = 2;
  const auto posted_s = [&](double between_s) {
    const Schedule two =
        of({{ireceive(1, 1, 0), compute(between_s), ireceive(1, 1, 1), wait(0), wait(1)},
            {compute(100), send(0, 1), send(0, 1)}});
    return run(two, document).ranks[0].overhead_s;
  };
  EXPECT_DOUBLE_EQ(posted_s(2) - posted_s(1), 0.25) << "half way";
  EXPECT_DOUBLE_EQ(posted_s(3), posted_s(2));
  document["levels"]["switch"].erase("posting_apart");
  EXPECT_DOUBLE_EQ(posted_s(3), posted_s(1));
}

// A turn among many has it inside.
TEST(Disturbance, ManyReceivesTakeNoLongerBecauseTheyArePosted) {
  nlohmann::json document = disturbed();
  const auto finish_s = [&](double posting_s) {
    document["levels"]["switch"]["posting"] = posting_s;
    Stream sends, receives = {compute(500)};
    for (const std::int32_t i : {0, 1, 2}) {
      sends.push_back(isend(1, 1, i));
      receives.push_back(ireceive(0, 1, i));
    }
    for (const std::int32_t i : {0, 1, 2}) {
      sends.push_back(wait(i));
      receives.push_back(wait(i));
    }
    return finish(run(of({sends, receives}), document), 1);
  };
  EXPECT_DOUBLE_EQ(finish_s(0), 500 + o_r + 2 * g);
  EXPECT_DOUBLE_EQ(finish_s(0.25), 500 + 0.25 + o_r + 2 * g);
}

// Who waits for the second first finds that the first has come before.
TEST(Disturbance, AProcessorHasMovedBeforeWhatItWaitsForLater) {
  nlohmann::json document = disturbed(0);
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  const auto finish_s = [&](double between_s, bool in_order) {
    const Stream sends = {isend(1, 100, 0, 1), compute(between_s), isend(1, 100, 1, 2), wait(0),
                          wait(1)};
    const Stream receives = {ireceive(0, 100, 0, 1), ireceive(0, 100, 1, 2), wait(in_order ? 0 : 1),
                             wait(in_order ? 1 : 0)};
    return finish(run(of({sends, receives}), document), 1);
  };
  const double one_s = o_s + 3 * L + t(100) + o_r;
  EXPECT_DOUBLE_EQ(finish_s(200, true), 200 + o_s + one_s);
  EXPECT_DOUBLE_EQ(finish_s(200, false), 200 + o_s + one_s + o_r);
  EXPECT_GE(finish_s(0, false), one_s + t(100)) << "at once they are moved one after the other";
}

TEST(Disturbance, ComputingSlowsWhatArrivesMeanwhile) {
  // Of F = G 80 + L = 20 half of 4 is done while the receiver computes from 1 to 5.
  nlohmann::json document = disturbed(0.5);
  document["levels"]["switch"]["crossing"] = 0;
  EXPECT_DOUBLE_EQ(finish(run(exchange(81, 4), document), 0), 5 + 18 + o_r);
  // At half the speed it is done at 1 + 40, and hidden.
  EXPECT_DOUBLE_EQ(finish(run(exchange(81, 100), document), 0), o_s + 100 + o_r);
  // At no speed it begins when the computing ends.
  document["levels"]["switch"]["progress"][0]["value"] = 0;
  EXPECT_DOUBLE_EQ(finish(run(exchange(81, 100), document), 0), o_s + 100 + 20 + o_r);
  EXPECT_DOUBLE_EQ(finish(run(exchange(81, 100), document, {{"progress", "hardware"}}), 0),
                   o_s + 100 + o_r);
}

// What a processor moves in calls it moves no further for longer computing between them.
TEST(Disturbance, LongComputingHidesNoMoreOfARendezvousThatProcessorsMove) {
  nlohmann::json document = disturbed(0.25);
  document["levels"]["switch"]["crossing"] = 0;
  const double flight_s = 2 * L + t(201);
  for (const double work_s : {2 * flight_s, 10 * flight_s})
    EXPECT_DOUBLE_EQ(finish(run(exchange(201, work_s), document), 0),
                     o_s + work_s + 0.75 * flight_s + o_r)
        << work_s;
  document["levels"]["switch"]["progress"][0]["value"] = 0.5;
  EXPECT_DOUBLE_EQ(finish(run(exchange(201, 10 * flight_s), document), 0),
                   o_s + 10 * flight_s + o_r);
}

TEST(Disturbance, ProgressInCallsHoldsRendezvousUntilTheWait) {
  const nlohmann::json in_calls = {{"progress", "in_calls"}};
  // Announced long before the wait, at which the answer leaves: L, G 200, L.
  EXPECT_DOUBLE_EQ(finish(run(exchange(201, 100), flat_document(), in_calls), 0),
                   o_s + 100 + L + t(201) + L + o_r);
  EXPECT_DOUBLE_EQ(finish(run(exchange(201, 100)), 0), o_s + 100 + o_r);
  // Eager messages do not need the receiver; a receive that is posted after the computing does
  // not wait twice.
  EXPECT_DOUBLE_EQ(finish(run(exchange(100, 100), flat_document(), in_calls), 0), o_s + 100 + o_r);
  const Schedule late = of({{send(1, 201)}, {compute(100), receive(0, 201)}});
  EXPECT_DOUBLE_EQ(finish(run(late, flat_document(), in_calls), 1), finish(run(late), 1));
}

TEST(Disturbance, ProgressIsAShare) {
  EXPECT_NE(error_of([] { run(exchange(8, 0), disturbed(1.5)); }), "");
  EXPECT_NE(error_of([] { run(exchange(8, 0), flat_document(), {{"progress", "fast"}}); }), "");
}

}  // namespace
}  // namespace hakaru::replay::test
