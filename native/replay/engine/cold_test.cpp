// Messages after computing of which traces tell how cold it left the caches.
#include <gtest/gtest.h>

#include <cmath>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

// By time a message of 1 B takes 3 longer, after the shortest work none.
nlohmann::json cold_document() {
  nlohmann::json document = flat_document();
  nlohmann::json& level = document["levels"]["switch"];
  level["after_work"] = {{{"work_s", 10}, {"bytes", 1}, {"value_s", 0}},
                         {{"work_s", 100}, {"bytes", 1}, {"value_s", 3}}};
  level["after_cold"] = {{{"cold_s", 4}, {"bytes", 1}, {"value_s", 1}},
                         {{"cold_s", 16}, {"bytes", 1}, {"value_s", 5}},
                         {{"cold_s", 16}, {"bytes", 100}, {"value_s", 11}}};
  return document;
}

schedule::Operation left_cold(double work_s, float cold_s) {
  schedule::Operation one = compute(work_s);
  one.cold_s = cold_s;
  return one;
}

double longer_s(const Stream& sends, const nlohmann::json& document, const char* engine) {
  Stream receives;
  double work_s = 0;
  int count = 0;
  for (const schedule::Operation& one : sends) {
    if (one.kind == schedule::Kind::compute) work_s += one.seconds;
    if (one.kind != schedule::Kind::send) continue;
    receives.push_back(receive(0, one.bytes));
    ++count;
  }
  const Result result = run(of({sends, receives}), document, {{"engine", engine}});
  return finish(result, 0) - work_s - count * o_s;
}

TEST(Cold, MessagesTakeAsMuchLongerAsCachesAreCold) {
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const auto after = [&](double work_s, float cold_s, std::uint64_t bytes = 1) {
      return longer_s({left_cold(work_s, cold_s), send(1, bytes)}, cold_document(), engine);
    };
    EXPECT_DOUBLE_EQ(after(100, 16), 5) << engine;
    EXPECT_DOUBLE_EQ(after(100, 8), 3) << "between two";
    EXPECT_DOUBLE_EQ(after(100, 1), 1) << "no less than the least";
    EXPECT_DOUBLE_EQ(after(100, 0), 0) << "warm";
    EXPECT_DOUBLE_EQ(after(100, 64), 5) << "no more than the most";
    EXPECT_DOUBLE_EQ(after(100, -1), 3) << "nobody says: by the time";
    EXPECT_DOUBLE_EQ(after(100, 16, 100), 11);
  }
}

// The data of a message are as cold as the coldest computing since it was sent left them; what
// every message needs as the coldest since the last.
TEST(Cold, OfSeveralSpellsTheColdestCounts) {
  const nlohmann::json document = cold_document();
  const auto later_s = [&](const Stream& sends) {
    return longer_s(sends, document, "run_until_blocked");
  };
  EXPECT_DOUBLE_EQ(later_s({left_cold(50, 16), compute(9), left_cold(50, 4), send(1, 1)}), 5);
  EXPECT_DOUBLE_EQ(later_s({left_cold(50, 16), send(1, 1), left_cold(50, 4), send(1, 1)}), 5 + 1);
  EXPECT_DOUBLE_EQ(later_s({left_cold(50, 16), send(1, 1), compute(9), send(1, 1)}), 5)
      << "too short to be asked";
  EXPECT_DOUBLE_EQ(later_s({left_cold(50, 16), send(1, 1), send(1, 100)}), 5 + 6)
      << "its own data are as cold as before";
}

// Each of a row of long messages uses up some of the computing before it; then they are warm.
TEST(Cold, RowsOfLongMessagesComeToAnEnd) {
  nlohmann::json document = cold_document();
  document["levels"]["switch"]["eager_limit_bytes"] = 50;
  const auto sends_s = [&](const nlohmann::json& on) {
    Stream sends(16, send(1, 100));
    sends.insert(sends.begin() + 2, left_cold(1000, 16));
    return run(of({sends, Stream(16, receive(0, 100))}), on).ranks[0].overhead_s;
  };
  nlohmann::json warm = document;
  warm["levels"]["switch"].erase("after_cold");
  warm["levels"]["switch"].erase("after_work");
  const double each_s = 8 * t(100), rows = std::ceil(1000 / each_s);
  EXPECT_DOUBLE_EQ(sends_s(document) - sends_s(warm), 5 + rows * 6);
}

TEST(Cold, WithoutFactsComputingCountsByItsTime) {
  nlohmann::json document = cold_document();
  document["levels"]["switch"].erase("after_cold");
  EXPECT_DOUBLE_EQ(longer_s({left_cold(100, 16), send(1, 1)}, document, "run_until_blocked"), 3);
}

}  // namespace
}  // namespace hakaru::replay::test
