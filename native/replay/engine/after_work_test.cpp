// Computing and caches: messages that find them cold, memory that waiting has emptied of them, and
// memory that is new.
#include <gtest/gtest.h>

#include <cmath>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

TEST(AfterWork, TheFirstMessageAfterComputingTakesLonger) {
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
TEST(AfterWork, WaitsAfterComputingFindColdWhatMessagesNeed) {
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

TEST(AfterWork, AfterWorkGoesByTheMemoryThatRanksUse) {
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

// Cold data of a rendezvous that is not waited for: the receiver copies while the sender computes,
// not while it computes itself.
TEST(AfterWork, ColdDataOfARendezvousAreTheReceivers) {
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
TEST(AfterWork, ComputingHidesNoMoreOfColdData) {
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
TEST(AfterWork, ARowOfLongMessagesIsColdForAsLongAsWasComputed) {
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

TEST(AfterWork, TheFirstWaitAfterComputingPaysForAll) {
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

TEST(AfterWork, TheFirstUsesOfMemoryTakeLonger) {
  nlohmann::json document = flat_document();
  const auto uses = [](double bytes, double first, double second) {
    return nlohmann::json::array({{{"bytes", bytes}, {"use", 1}, {"value", first}},
                                  {{"bytes", bytes}, {"use", 2}, {"value", second}},
                                  {{"bytes", bytes}, {"use", 3}, {"value", 0}}});
  };
  document["levels"]["switch"]["first_uses"] = uses(100, 0.01, 0.03);
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
    nlohmann::json two = document;
    for (const nlohmann::json& one : uses(10000, 0.03, 0.01))
      two["levels"]["switch"]["first_uses"].push_back(one);
    const auto measured = [&](std::uint64_t bytes) {
      const std::vector<Stream> ranks{{send(1, bytes)}, {receive(0, bytes)}};
      return run(of(ranks), two, {{"engine", engine}}).ranks[0].overhead_s - o_s;
    };
    EXPECT_DOUBLE_EQ(measured(10000), 300) << engine;
    EXPECT_NEAR(measured(1000), 20, 1e-9) << "between sizes over their logarithm";
  }
}

}  // namespace
}  // namespace hakaru::replay::test
