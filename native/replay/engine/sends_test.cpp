// Replays of schedules whose sends were made non-blocking, against closed forms.
#include "native/schedule/sends.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

using schedule::Waits;

Result changed(const Schedule& given, Waits waits = Waits::late,
               const nlohmann::json& options = nlohmann::json::object()) {
  return run(schedule::nonblocking_sends(given, waits).schedule, flat_document(), options);
}

TEST(ReplayOfSends, ALongMessageMovesWhileItsSenderComputes) {
  // The receive is there at 0: the last byte leaves at o_s + 2 L + G (s - 1).
  for (const double computing : {20.0, 200.0}) {
    const Schedule given = of({{send(1, 1001), compute(computing)}, {receive(0, 1001)}});
    const double drained = o_s + 2 * L + t(1001);
    EXPECT_DOUBLE_EQ(finish(run(given), 0), drained + computing);
    EXPECT_DOUBLE_EQ(finish(changed(given), 0), std::max(o_s + computing, drained));
    EXPECT_DOUBLE_EQ(finish(changed(given), 1), drained + L + o_r);
    // With the wait before the computing nothing is won.
    EXPECT_DOUBLE_EQ(finish(changed(given, Waits::exchange), 0), drained + computing);
  }
}

TEST(ReplayOfSends, ShortMessagesHaveNothingToWin) {
  const Stream left = {compute(7), send(1, 100), receive(1, 100)},
               right = {compute(5), send(0, 100), receive(0, 100)};
  const Schedule given = of({left, right});
  EXPECT_DOUBLE_EQ(changed(given).makespan_s, run(given).makespan_s);
}

TEST(ReplayOfSends, TheSameMemoryIsNotSentTwiceAtOnce) {
  // Both receives are there in time; the second message begins when the first has left and the
  // computing is done. A schedule without that wait would end earlier.
  const double drained = o_s + 2 * L + t(1001);
  const Schedule given = of({{send(1, 1001), compute(50), send(1, 1001), compute(50)},
                             {ireceive(0, 1001, 0), ireceive(0, 1001, 1), wait(0), wait(1)}});
  const double second = std::max(o_s + 50, drained);
  const double gap_over = std::max(second + o_s, drained + g);
  const double left = std::max(second + o_s + 2 * L, gap_over) + t(1001);
  EXPECT_DOUBLE_EQ(finish(changed(given), 0), std::max(second + o_s + 50, left));
  Schedule damaged = schedule::nonblocking_sends(given, Waits::late).schedule;
  Stream& stream = damaged.streams[0];
  const auto wait_at = std::find_if(stream.begin(), stream.end(),
                                    [](const Operation& o) { return o.kind == Kind::wait; });
  stream[static_cast<std::size_t>(wait_at - stream.begin())] = compute(0);
  for (Operation& o : stream)
    if (o.kind == Kind::isend && &o > &*wait_at) o.request = 9;
  Operation other = wait(9);
  stream.push_back(other);
  EXPECT_LT(finish(run(damaged), 0), finish(changed(given), 0));
}

TEST(ReplayOfSends, ExchangesThatReliedOnBuffersProgress) {
  const Schedule given = of({{send(1, 1001), receive(1, 1001)}, {send(0, 1001), receive(0, 1001)}});
  EXPECT_NE(error_of([&] { run(given); }), "");
  // Announced and posted at o_s; there after L; the answer takes L, the message G (s - 1) + L.
  EXPECT_DOUBLE_EQ(changed(given).makespan_s, o_s + 2 * L + t(1001) + L + o_r);
}

// n rounds in which rank 0 computes for c and sends, and rank 1 receives and computes for c:
// blocking, a round of rank 0 is c and the message; non-blocking, the longer of both.
TEST(ReplayOfSends, APipelineOfManyRounds) {
  constexpr double c = 400;
  constexpr std::uint64_t rounds = 50;
  const Schedule given =
      of({looped({compute(c), send(1, 1001)}, rounds), looped({receive(0, 1001)}, rounds)});
  const double message = o_s + 2 * L + t(1001);
  EXPECT_NEAR(finish(run(given), 0), static_cast<double>(rounds) * (c + message), 1e-9);
  EXPECT_NEAR(finish(changed(given), 0), static_cast<double>(rounds) * (c + o_s) + message - o_s,
              1e-9);
}

TEST(ReplayOfSends, PersistentOnesHaveAPriceWhereItWasMeasured) {
  nlohmann::json document = flat_document();
  const Schedule given = of({{send(1, 50), send(1, 5, 1)}, {receive(0, 50), receive(0, 5, 1)}});
  const auto sender_s = [&](schedule::Started how, const char* engine) {
    const Schedule made = schedule::nonblocking_sends(given, Waits::late, how).schedule;
    return finish(run(made, document, {{"engine", engine}}), 0);
  };
  using schedule::Started;
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    document["levels"]["switch"].erase("persistent");
    EXPECT_DOUBLE_EQ(sender_s(Started::persistent, engine), 2 * o_s) << engine;
    document["levels"]["switch"]["persistent"] = {
        {{"minimum_bytes", 0}, {"maximum_bytes", 10}, {"value_s", 4.0}},
        {{"minimum_bytes", 11}, {"maximum_bytes", nullptr}, {"value_s", -2 * o_s}}};
    EXPECT_DOUBLE_EQ(sender_s(Started::persistent, engine), o_s + 4.0) << "at least nothing";
    EXPECT_DOUBLE_EQ(sender_s(Started::nonblocking, engine), 2 * o_s) << engine;
  }
}

}  // namespace
}  // namespace hakaru::replay::test
