#include "native/replay/engine/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace hakaru::replay::test {
namespace {

// A list in the order of times, and of putting in.
class Plain {
 public:
  void push(double time_s, std::uint32_t flight) {
    const auto later = [](double t, const EventQueue::Event& one) { return t < one.time_s; };
    events_.insert(std::upper_bound(events_.begin(), events_.end(), time_s, later),
                   {time_s, flight});
  }
  bool empty() const { return events_.empty(); }
  EventQueue::Event pop() {
    const EventQueue::Event first = events_.front();
    events_.erase(events_.begin());
    return first;
  }

 private:
  std::vector<EventQueue::Event> events_;
};

// `back`: in one of so many events the time may lie before that of the last one taken.
void take_as_a_list_does(std::uint32_t seed, std::uint32_t back) {
  std::mt19937 random(seed);
  EventQueue queue;
  Plain plain;
  double now_s = 0;
  for (std::uint32_t flight = 0; flight < 3000; ++flight) {
    const double step_s = random() % 3 == 0 ? 0.0 : std::exp2(-static_cast<int>(random() % 40));
    double time_s = now_s + step_s * static_cast<double>(random() % 4);
    if (back > 0 && random() % back == 0) time_s = now_s / 2;
    queue.push(time_s, flight);
    plain.push(time_s, flight);
    while (!plain.empty() && random() % 2 == 0) {
      const EventQueue::Event wanted = plain.pop(), got = queue.pop();
      ASSERT_EQ(got.time_s, wanted.time_s) << "seed " << seed;
      ASSERT_EQ(got.flight, wanted.flight) << "seed " << seed;
      now_s = got.time_s;
    }
    ASSERT_EQ(queue.empty(), plain.empty());
  }
}

TEST(EventQueue, TakesAsAListInOrderDoes) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) take_as_a_list_does(seed, 0);
}

TEST(EventQueue, AnEventBeforeTheLastOneTakenComesFirst) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) take_as_a_list_does(seed, 20);
}

TEST(EventQueue, ZeroHasNoSign) {
  EventQueue queue;
  queue.push(0.0, 1);
  queue.push(-0.0, 2);
  EXPECT_EQ(queue.pop().flight, 1U);
  EXPECT_EQ(queue.pop().flight, 2U);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace hakaru::replay::test
