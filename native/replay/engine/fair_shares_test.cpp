#include "native/replay/engine/fair_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace hakaru::replay::test {
namespace {

class Links : public Network {
 public:
  explicit Links(std::vector<double> capacities) : capacities_(std::move(capacities)) {}
  Path path(std::int32_t, std::int32_t) const override { return {&level_, 0}; }
  std::size_t links() const override { return capacities_.size(); }
  LinkRate link(std::uint32_t i) const override { return {0, 1 / capacities_[i]}; }

 private:
  Level level_;
  std::vector<double> capacities_;
};

struct Flow {
  std::vector<std::uint32_t> route;
  double most = INFINITY;
  double rate = 0;
  double left_bytes = 0;
};
using Flows = std::map<std::uint32_t, Flow>;

// What is wrong with these rates: a link carries more than it can, or a flow is slower than its own
// limit and has no bottleneck, a link that is full and on which nobody is faster.
std::string fault(const Flows& flows, const std::vector<double>& capacities) {
  constexpr double tolerance = 1e-9;
  std::vector<double> used(capacities.size(), 0), fastest(capacities.size(), 0);
  for (const auto& [name, flow] : flows)
    for (const std::uint32_t link : flow.route) {
      used[link] += flow.rate;
      fastest[link] = std::max(fastest[link], flow.rate);
    }
  for (std::size_t link = 0; link < capacities.size(); ++link)
    if (used[link] > capacities[link] * (1 + tolerance)) return "a link carries too much";
  for (const auto& [name, flow] : flows) {
    if (flow.rate > flow.most * (1 + tolerance)) return "a flow is faster than its limit";
    bool held = flow.rate >= flow.most * (1 - tolerance);
    for (const std::uint32_t link : flow.route)
      held = held || (used[link] >= capacities[link] * (1 - tolerance) &&
                      fastest[link] <= flow.rate * (1 + tolerance));
    if (!held) return "flow " + std::to_string(name) + " has no bottleneck";
  }
  return "";
}

TEST(MaxMin, SharesByHand) {
  // Links A = 1 and B = 2 B/s. Flows 1: A; 2: A, B; 3: B. Shares: A gives 1/2 to 1 and 2; B has 3/2
  // left for 3.
  const Links network({1, 2});
  FairShares shares(network);
  shares.start(1, {0}, 10, INFINITY);
  shares.start(2, {0, 1}, 10, INFINITY);
  shares.start(3, {1}, 15, INFINITY);
  EXPECT_DOUBLE_EQ(shares.next_end_s(), 10);  // flow 3: 15 / 1.5
  EXPECT_DOUBLE_EQ(shares.rate(1), 0.5);
  EXPECT_DOUBLE_EQ(shares.rate(2), 0.5);
  EXPECT_DOUBLE_EQ(shares.rate(3), 1.5);
  // At 10 flow 3 ends; 1 and 2 have 5 B left at 1/2 B/s each.
  EXPECT_EQ(shares.advance(10), (std::vector<std::uint32_t>{3}));
  EXPECT_DOUBLE_EQ(shares.next_end_s(), 20);
  // A flow with a limit of its own of 1/4: the others share what it leaves.
  FairShares limited(network);
  limited.start(1, {0}, 1, INFINITY);
  limited.start(2, {0}, 1, 0.25);
  limited.next_end_s();
  EXPECT_DOUBLE_EQ(limited.rate(1), 0.75);
  EXPECT_DOUBLE_EQ(limited.rate(2), 0.25);
}

// A row of links, each shared by two flows and twice as wide as the one behind it: a flow has what
// the next one leaves to it. One more on the last link slows its flows by 1/6 B/s, which is left to
// the flow before them, whose gain is the loss of the one before it, to the other end of the row.
TEST(MaxMin, AChangeReachesWhoSharesNoLinkWithIt) {
  constexpr std::uint32_t last = 9;
  std::vector<double> capacities(last + 1, 1);
  for (std::uint32_t i = 0; i < last; ++i) capacities[i] = 1.5 * std::exp2(last - 1 - i);
  const Links network(capacities);
  FairShares shares(network);
  Flows flows;
  const auto start = [&](std::uint32_t name, std::vector<std::uint32_t> route) {
    shares.start(name, route, 1, INFINITY);
    flows[name].route = std::move(route);
  };
  const auto look = [&] {
    shares.next_end_s();
    for (auto& [name, flow] : flows) flow.rate = shares.rate(name);
    return fault(flows, capacities);
  };
  for (std::uint32_t i = 1; i <= last; ++i) start(i, {i - 1, i});
  start(last + 1, {last});
  EXPECT_EQ(look(), "");
  for (std::uint32_t i = 1; i <= last; ++i)
    EXPECT_DOUBLE_EQ(flows[i].rate, 0.5 * std::exp2(last - i)) << i;
  start(last + 2, {last});
  EXPECT_EQ(look(), "");
  for (std::uint32_t i = 1; i <= last; ++i)
    EXPECT_DOUBLE_EQ(flows[i].rate, 0.5 * std::exp2(last - i) + (i % 2 == 0 ? 1 : -1) / 6.0) << i;
}

// Flows that begin and end at random on random links, and are looked at after each change; two in
// three events come at the time of the one before.
class RandomFlows {
 public:
  explicit RandomFlows(std::uint32_t seed)
      : random_(seed), capacities_(3 + random_() % 12, 0.0), network_(drawn()), shares_(network_) {}

  const Flows& flows() const { return flows_; }
  const std::vector<double>& capacities() const { return capacities_; }
  // What is wrong after it.
  std::string step() {
    if (random_() % 3 == 0 || flows_.size() > 40) {
      const std::string wrong = go_on();
      if (!wrong.empty()) return wrong;
    }
    for (std::uint32_t i = random_() % 4; i > 0; --i) start();
    shares_.next_end_s();
    for (auto& [name, flow] : flows_) flow.rate = shares_.rate(name);
    return fault(flows_, capacities_);
  }

 private:
  const std::vector<double>& drawn() {
    for (double& one : capacities_) one = 1 + static_cast<double>(random_() % 3);
    return capacities_;
  }
  void start() {
    Flow flow;
    for (std::uint32_t link = 0; link < capacities_.size(); ++link)
      if (random_() % 3 == 0) flow.route.push_back(link);
    if (flow.route.empty() || random_() % 4 == 0)
      flow.most = 0.25 * static_cast<double>(1 + random_() % 8);
    flow.left_bytes = static_cast<double>(1 + random_() % 20);
    shares_.start(next_, flow.route, flow.left_bytes, flow.most);
    flows_[next_++] = flow;
  }
  // To a time before the next end, or to it.
  std::string go_on() {
    const double end_s = shares_.next_end_s();
    if (std::isinf(end_s)) return flows_.empty() ? "" : "nothing ends";
    const double before_s = shares_.now_s();
    const double time_s = random_() % 3 == 0 ? before_s + 0.4 * (end_s - before_s) : end_s;
    const std::vector<std::uint32_t> ended = shares_.advance(time_s);
    for (auto& [name, flow] : flows_) flow.left_bytes -= flow.rate * (time_s - before_s);
    for (const std::uint32_t name : ended) {
      if (std::abs(flows_.at(name).left_bytes) > 1e-9) return "a flow ended early or late";
      flows_.erase(name);
    }
    for (const auto& [name, flow] : flows_)
      if (flow.left_bytes < -1e-9) return "a flow has not ended";
    return "";
  }

  std::mt19937 random_;
  std::vector<double> capacities_;
  Links network_;
  FairShares shares_;
  Flows flows_;
  std::uint32_t next_ = 0;
};

TEST(MaxMin, EveryFlowHasItsBottleneckAfterEveryChange) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    RandomFlows flows(seed);
    for (int step = 0; step < 150; ++step)
      ASSERT_EQ(flows.step(), "") << "seed " << seed << " step " << step;
  }
}

TEST(MaxMin, WrongRatesAreFound) {
  RandomFlows drawn(7);
  while (drawn.flows().size() < 20) ASSERT_EQ(drawn.step(), "");
  for (const auto& [name, flow] : drawn.flows())
    for (const double factor : {0.99, 1.01}) {
      Flows damaged = drawn.flows();
      damaged[name].rate *= factor;
      EXPECT_NE(fault(damaged, drawn.capacities()), "") << "flow " << name << " times " << factor;
    }
}

}  // namespace
}  // namespace hakaru::replay::test
