// Levels where messages disturb each other, and computing disturbs messages.
#include <gtest/gtest.h>

#include <cmath>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

constexpr double crossing = 3;

double t(double bytes) { return G * (bytes - 1); }  // G (s - 1)

nlohmann::json disturbed(double progress = 1) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["crossing"] = crossing;
  document["levels"]["switch"]["progress"] = {
      {{"minimum_bytes", 0}, {"maximum_bytes", nullptr}, {"value", progress}}};
  return document;
}

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

TEST(Disturbance, TheFirstMessageAfterComputingTakesLonger) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["after_work"] = {{{"work_s", 10}, {"bytes", 1}, {"value_s", 3}},
                                                {{"work_s", 1000}, {"bytes", 1}, {"value_s", 7}},
                                                {{"work_s", 10}, {"bytes", 100}, {"value_s", 5}}};
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const auto sender_s = [&](double work_s, std::uint64_t bytes) {
      const std::vector<Stream> streams = {
          {compute(work_s), send(1, bytes), isend(1, bytes, 0), wait(0)},
          {receive(0, bytes), receive(0, bytes)}};
      return finish(run(of(streams), document, {{"engine", engine}}), 0) - work_s - 2 * o_s;
    };
    EXPECT_DOUBLE_EQ(sender_s(10, 1), 3) << engine;
    EXPECT_DOUBLE_EQ(sender_s(4, 1), 1.2) << "in proportion below the shortest";
    EXPECT_DOUBLE_EQ(sender_s(100, 1), 5) << "between two";
    EXPECT_DOUBLE_EQ(sender_s(10, 10), 4) << "the second sends the same data";
    EXPECT_DOUBLE_EQ(sender_s(0, 1), 0);
  }
  // A long message finds what it needs no warmer for a short one.
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  const Result both = run(
      of({{compute(100), send(1, 1), isend(1, 100, 0), wait(0)}, {receive(0, 1), receive(0, 100)}}),
      document);
  EXPECT_DOUBLE_EQ(both.ranks[0].overhead_s, 2 * o_s + 5 + 5) << "its receiver moves the data";
  document["levels"]["switch"].erase("eager_limit_bytes");
  // What a receive takes is in the price of its send: exchanges were timed.
  const Result late =
      run(of({{send(1, 1), send(1, 1)}, {compute(100), receive(0, 1), receive(0, 1)}}), document);
  EXPECT_DOUBLE_EQ(finish(late, 1), 100 + o_r + g);
  // Every message finds its own data cold.
  const Result halos =
      run(of({{compute(10), send(1, 100), send(1, 100, 1), send(1, 100)},
              {compute(900), receive(0, 100), receive(0, 100, 1), receive(0, 100)}}),
          document);
  EXPECT_DOUBLE_EQ(halos.ranks[0].overhead_s, 3 * o_s + 5 + 2);
  EXPECT_DOUBLE_EQ(halos.ranks[1].overhead_s, 3 * o_r);
}

// As of the most where nobody says how much memory the ranks use.
TEST(Disturbance, WaitsAfterComputingFindColdWhatMessagesNeed) {
  constexpr double works_s = 1000;  // the message has come meanwhile
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["after_work"] = {{{"work_s", 10}, {"bytes", 1}, {"value_s", 3}}};
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const auto finish_s = [&](const Stream& receives) {
      return finish(run(of({receives, {send(0, 1)}}), document, {{"engine", engine}}), 0);
    };
    const Stream waits = {ireceive(1, 1, 0), compute(works_s), wait(0)};
    EXPECT_DOUBLE_EQ(finish_s(waits), works_s + 3 + o_r) << engine;
    EXPECT_DOUBLE_EQ(finish_s({compute(works_s), ireceive(1, 1, 0), wait(0)}), works_s + o_r)
        << "it computed before";
    EXPECT_DOUBLE_EQ(finish_s({compute(works_s), receive(1, 1)}), works_s + o_r)
        << "the probe's price of a send after computing holds the receive";
    document["levels"]["switch"]["sending"] = {{{"work_s", 1}, {"bytes", 1}, {"value_s", o_s}}};
    EXPECT_DOUBLE_EQ(finish_s(waits), works_s + o_r) << "what sends keep holds it, too";
    document["levels"]["switch"].erase("sending");
  }
}

TEST(Disturbance, AfterWorkGoesByTheMemoryThatRanksUse) {
  nlohmann::json document = flat_document();
  nlohmann::json& longer = document["levels"]["switch"]["after_work"];
  for (const auto& [memory_bytes, value_s] : {std::pair{1000, 3}, {4000, 7}})
    longer.push_back(
        {{"work_s", 10}, {"bytes", 1}, {"memory_bytes", memory_bytes}, {"value_s", value_s}});
  const auto sender_s = [&](std::uint64_t memory_bytes) {
    Schedule given = of({{compute(10), send(1, 1)}, {receive(0, 1)}});
    given.memory_bytes = memory_bytes;
    return finish(run(given, document), 0) - 10 - o_s;
  };
  EXPECT_DOUBLE_EQ(sender_s(10), 3);
  EXPECT_DOUBLE_EQ(sender_s(2000), 5) << "linear over the logarithm";
  EXPECT_DOUBLE_EQ(sender_s(9000), 7);
  EXPECT_DOUBLE_EQ(sender_s(0), 7);
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

// Cold data of a rendezvous that is not waited for: the receiver copies while the sender computes,
// not while it computes itself.
TEST(Disturbance, ColdDataOfARendezvousAreTheReceivers) {
  nlohmann::json document = disturbed(0);
  document["levels"]["switch"]["crossing"] = 0;
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  document["levels"]["switch"]["after_work"] = {{{"work_s", 10}, {"bytes", 1}, {"value_s", 0}},
                                                {{"work_s", 10}, {"bytes", 100}, {"value_s", 7}}};
  const Stream sends = {compute(10), isend(1, 100, 0), compute(100), wait(0)};
  const double moved_s = 7 + t(100);
  const Result waits = run(of({sends, {receive(0, 100)}}), document);
  EXPECT_DOUBLE_EQ(finish(waits, 0), 10 + o_s + 100);
  EXPECT_DOUBLE_EQ(finish(waits, 1), 10 + o_s + 2 * L + moved_s + L + o_r);
  const Result computes = run(of({sends, {ireceive(0, 100, 0), compute(200), wait(0)}}), document);
  EXPECT_DOUBLE_EQ(finish(computes, 1), 200 + 2 * L + moved_s + o_r);
  // A sender that waits for it is held as long.
  const Result held = run(of({{compute(10), send(1, 100)}, {receive(0, 100)}}), document);
  EXPECT_DOUBLE_EQ(finish(held, 0), 10 + o_s + 2 * L + moved_s);
}

// Computing hides what it hides of warm data: a probe sees nothing else.
TEST(Disturbance, ComputingHidesNoMoreOfColdData) {
  nlohmann::json document = disturbed(0.25);
  document["levels"]["switch"]["crossing"] = 0;
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  const auto finish_s = [&](double cold_s) {
    document["levels"]["switch"]["after_work"] = {
        {{"work_s", 10}, {"bytes", 1}, {"value_s", 0}},
        {{"work_s", 10}, {"bytes", 100}, {"value_s", cold_s}}};
    return finish(run(of({{compute(10), isend(1, 100, 0), compute(100), wait(0)},
                          {ireceive(0, 100, 0), compute(200), wait(0)}}),
                      document),
                  1);
  };
  EXPECT_DOUBLE_EQ(finish_s(7) - finish_s(0), 7);
}

// What is sent again without computing in between is other data of the same computing.
TEST(Disturbance, ARowOfLongMessagesIsColdForAsLongAsWasComputed) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  document["levels"]["switch"]["after_work"] = {{{"work_s", 10}, {"bytes", 1}, {"value_s", 0}},
                                                {{"work_s", 10}, {"bytes", 50}, {"value_s", 7}},
                                                {{"work_s", 10}, {"bytes", 100}, {"value_s", 7}}};
  const auto cold_s = [&](std::uint64_t bytes, double work_s, double between_s = 0) {
    const Stream sends = {send(1, bytes), compute(work_s),    send(1, bytes), compute(between_s),
                          send(1, bytes), compute(between_s), send(1, bytes)};
    const Stream receives(4, receive(0, bytes));
    return run(of({sends, receives}), document).ranks[0].overhead_s - 4 * o_s;
  };
  const double used_s = 8 * t(100);  // by each message
  EXPECT_DOUBLE_EQ(cold_s(100, 1000), 3 * 7);
  EXPECT_DOUBLE_EQ(cold_s(100, used_s + 10), 2 * 7);
  EXPECT_DOUBLE_EQ(cold_s(100, used_s), 7) << "all of it went into the first";
  EXPECT_DOUBLE_EQ(cold_s(50, 1000), 7) << "short ones lie beside each other";
  EXPECT_DOUBLE_EQ(cold_s(100, 1000, t(100)), 3 * 7) << "each was computed";
  EXPECT_DOUBLE_EQ(cold_s(100, 0), 0);
}

TEST(Disturbance, TheFirstWaitAfterComputingPaysForAll) {
  const Stream two = {ireceive(1, 1, 0), ireceive(1, 1, 1), compute(1000), wait(0), wait(1)};
  const auto overhead_s = [&](double cold_s) {
    nlohmann::json document = flat_document();
    document["levels"]["switch"]["after_work"] = {
        {{"work_s", 10}, {"bytes", 1}, {"value_s", cold_s}}};
    return run(of({two, {send(0, 1), send(0, 1)}}), document).ranks[0].overhead_s;
  };
  EXPECT_DOUBLE_EQ(overhead_s(3) - overhead_s(0), 3);
}

// Two kinds of computing: of 10 s over 100 B, and of 20 over 1000.
class Refilled : public ::testing::Test {
 protected:
  Refilled() : document_(flat_document()) {
    const auto after = [](double waited_s, double memory_bytes, double sweep_s, double value_s) {
      return nlohmann::json{{"waited_s", waited_s},
                            {"memory_bytes", memory_bytes},
                            {"sweep_s", sweep_s},
                            {"value_s", value_s}};
    };
    document_["levels"]["switch"]["refilling"] = {after(100, 100, 10, 3), after(400, 100, 10, 6),
                                                  after(100, 1000, 20, 30),
                                                  after(400, 1000, 20, 60)};
  }

  // Of rank 0, which waits for another between the first and the second.
  double longer_s(double first_s, double waits_s, std::vector<double> then_s,
                  std::uint64_t memory_bytes = 10000) const {
    Stream waiting = {compute(first_s), receive(1, 81)};
    double all_s = first_s;
    for (const double one_s : then_s) {
      waiting.push_back(compute(one_s));
      all_s += one_s;
    }
    const double way_s = o_s + t(81) + L + o_r;
    Schedule schedule = of({waiting, {compute(first_s + waits_s - way_s), send(0, 81)}});
    schedule.memory_bytes = memory_bytes;
    double found_s = NAN;
    for (const char* engine : {"run_until_blocked", "time_ordered"}) {
      const double other_s = std::exchange(
          found_s, run(schedule, document_, {{"engine", engine}}).ranks[0].compute_s - all_s);
      if (!std::isnan(other_s)) {
        EXPECT_NEAR(found_s, other_s, 1e-9);
      }
    }
    return found_s;
  }

  nlohmann::json document_;
};

TEST_F(Refilled, ComputingAfterWaitingTakesLonger) {
  EXPECT_NEAR(longer_s(10, 100, {10}), 3, 1e-9);
  EXPECT_NEAR(longer_s(10, 200, {10}), 4.5, 1e-9) << "linear over the logarithm";
  EXPECT_NEAR(longer_s(10, 4000, {10}), 6, 1e-9) << "constant beyond";
  EXPECT_NEAR(longer_s(10, 50, {10}), 1.5, 1e-9) << "in proportion below";
  EXPECT_NEAR(longer_s(20, 100, {20}), 30, 1e-9);
  EXPECT_NEAR(longer_s(5, 100, {5}), 1.5, 1e-9) << "half of the least memory";
}

TEST_F(Refilled, OnlyWhatHasLeftTheCaches) {
  EXPECT_NEAR(longer_s(10, 100, {10, 10}), 3, 1e-9) << "the second finds it there";
  EXPECT_NEAR(longer_s(10, 100, {20}), 0, 1e-9) << "as much for the first time";
  EXPECT_NEAR(longer_s(20, 100, {10}), 3, 1e-9) << "of what more was gone over";
  EXPECT_NEAR(longer_s(20, 100, {10, 20}), 3 + 30 * (1 + 0.5 * std::log(113. / 100) / std::log(2)),
              1e-9)
      << "less of it does not bring all back";
  EXPECT_NEAR(longer_s(20, 100, {20}, 100), 3, 1e-9) << "no more than the rank uses";
  EXPECT_NEAR(longer_s(20, 100, {20}, 0), 0, 1e-9) << "of which nothing is known";
}

TEST_F(Refilled, MoreMemoryTakesLongerToGoOver) {
  document_["levels"]["switch"]["refilling"][2]["sweep_s"] = 10;
  document_["levels"]["switch"]["refilling"][3]["sweep_s"] = 10;
  EXPECT_THROW(longer_s(10, 100, {10}), base::UserError);
}

TEST(Disturbance, TheFirstUsesOfMemoryTakeLonger) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["first_uses"] = {0.01, 0.03};
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const auto longer_s = [&](std::vector<std::pair<std::uint64_t, std::int32_t>> messages) {
      Stream sends, receives;
      for (const auto& [bytes, tag] : messages) {
        sends.push_back(send(1, bytes, tag));
        receives.push_back(receive(0, bytes, tag));
      }
      const Result result = run(of({sends, receives}), document, {{"engine", engine}});
      return result.ranks[0].overhead_s - static_cast<double>(messages.size()) * o_s;
    };
    EXPECT_DOUBLE_EQ(longer_s({{100, 0}}), 1) << engine;
    EXPECT_DOUBLE_EQ(longer_s({{100, 0}, {100, 0}, {100, 0}, {100, 0}}), 1 + 3) << engine;
    EXPECT_DOUBLE_EQ(longer_s({{100, 0}, {100, 1}, {200, 0}}), 1 + 1 + 2) << "each its own memory";
    EXPECT_DOUBLE_EQ(longer_s({{50, 0}, {50, 0}}), 0) << "eager ones are copied twice by processes";
    std::vector<std::pair<std::uint64_t, std::int32_t>> kinds;
    for (std::int32_t tag = 0; tag < 70; ++tag) kinds.emplace_back(100, tag);
    EXPECT_DOUBLE_EQ(longer_s(kinds), 64) << "the others may be in memory of the first";
  }
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
