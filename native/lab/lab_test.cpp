#include <gtest/gtest.h>

#include "native/base/require.hpp"
#include "native/lab/fabric.hpp"
#include "native/lab/options.hpp"
#include "native/lab/timing.hpp"

namespace hakaru::lab {
namespace {

constexpr unsigned char everybody = 0xff;

// A frame of `bytes` bytes from host `source` to host `target`; its last byte is `mark`.
Frame frame(unsigned char source, unsigned char target, std::size_t bytes = 1000,
            unsigned char mark = 0) {
  Frame result(bytes);
  if (target == everybody)
    std::fill_n(result.begin(), 6, everybody);
  else
    result[0] = 2, result[5] = target;
  result[6] = 2, result[11] = source;
  result.back() = mark;
  return result;
}

struct Arrival {
  int port;
  Nanoseconds due_ns;
  unsigned char mark;
  bool operator==(const Arrival&) const = default;
};

// Lets time go on from event to event until nothing is under way.
std::vector<Arrival> run_dry(Fabric& fabric) {
  std::vector<Arrival> arrivals;
  while (const auto next_ns = fabric.next_event(fabric.ports()))
    fabric.advance(fabric.ports(), *next_ns,
                   [&](int port, Nanoseconds due_ns, const SharedFrame& received) {
                     arrivals.push_back({port, due_ns, received->back()});
                   });
  return arrivals;
}

// Every host has been heard, so that nothing is flooded. Takes no time: the frames go to their own
// senders.
void introduce(Fabric& fabric, int ports) {
  for (int port = 0; port < ports; ++port) {
    const auto self = static_cast<unsigned char>(port);
    fabric.accept(port, frame(self, self, shortest_frame_bytes), -1'000'000'000);
  }
  EXPECT_TRUE(run_dry(fabric).empty());
}

constexpr LinkSettings slow{.latency_ns = 100'000, .bytes_per_second = 1e9};  // 1 ns a byte

TEST(Fabric, FrameOnAnIdlePathPaysItsLengthOnceAndTheLatency) {
  Fabric fabric(2, slow);
  introduce(fabric, 2);
  fabric.accept(0, frame(0, 1, 1000, 7), 5000);
  EXPECT_EQ(run_dry(fabric), (std::vector<Arrival>{{1, 5000 + 1024 + 100'000, 7}}));
}

TEST(Fabric, NothingIsDeliveredBeforeItIsDue) {
  Fabric fabric(2, slow);
  introduce(fabric, 2);
  fabric.accept(0, frame(0, 1), 0);
  bool delivered = false;
  const auto deliver = [&](int, Nanoseconds, const SharedFrame&) { delivered = true; };
  fabric.advance(fabric.ports(), 101'023, deliver);
  EXPECT_FALSE(delivered);
  fabric.advance(fabric.ports(), 101'024, deliver);
  EXPECT_TRUE(delivered);
}

TEST(Fabric, UnlimitedRateAndNoLatencyDeliverAtOnce) {
  Fabric fabric(2, {});
  introduce(fabric, 2);
  for (unsigned char mark = 0; mark < 3; ++mark) fabric.accept(0, frame(0, 1, 1000, mark), 50);
  EXPECT_EQ(run_dry(fabric), (std::vector<Arrival>{{1, 50, 0}, {1, 50, 1}, {1, 50, 2}}));
}

TEST(Fabric, FramesOfOneSenderFollowEachOther) {
  Fabric fabric(3, slow);
  introduce(fabric, 3);
  for (unsigned char mark = 0; mark < 3; ++mark)
    fabric.accept(0, frame(0, mark == 1 ? 2 : 1, 976, mark), 0);
  auto arrivals = run_dry(fabric);
  EXPECT_EQ(arrivals, (std::vector<Arrival>{{1, 101'000, 0}, {2, 102'000, 1}, {1, 103'000, 2}}));
}

TEST(Fabric, SendersToOneReceiverShareItsLink) {
  Fabric fabric(3, slow);
  introduce(fabric, 3);
  fabric.accept(0, frame(0, 2, 976, 1), 0);
  fabric.accept(1, frame(1, 2, 976, 2), 300);
  EXPECT_EQ(run_dry(fabric), (std::vector<Arrival>{{2, 101'000, 1}, {2, 102'000, 2}}));
}

TEST(Fabric, AFrameThatWaitsAtItsSenderDoesNotReserveTheReceiver) {
  Fabric fabric(3, slow);
  introduce(fabric, 3);
  fabric.accept(0, frame(0, 1, 9976, 1), 0);   // keeps the sender's link until 10,000
  fabric.accept(0, frame(0, 2, 976, 2), 0);    // so this one starts then
  fabric.accept(1, frame(1, 2, 976, 3), 500);  // and this one passes it
  EXPECT_EQ(run_dry(fabric),
            (std::vector<Arrival>{{2, 101'500, 3}, {1, 110'000, 1}, {2, 111'000, 2}}));
}

TEST(Fabric, SourcesAreMovedOnByThemselvesAndShareTheReceiver) {
  Fabric fabric(3, slow);
  introduce(fabric, 3);
  fabric.accept(0, frame(0, 2, 976, 1), 0);
  fabric.accept(1, frame(1, 2, 976, 2), 300);
  std::vector<Arrival> arrivals;
  const auto deliver = [&](int port, Nanoseconds due_ns, const SharedFrame& received) {
    arrivals.push_back({port, due_ns, received->back()});
  };
  EXPECT_FALSE(fabric.next_event({2}));
  EXPECT_EQ(fabric.next_event({1}), 300);
  fabric.advance({0}, 200'000, deliver);
  EXPECT_EQ(arrivals, (std::vector<Arrival>{{2, 101'000, 1}}));
  fabric.advance({1}, 200'000, deliver);
  EXPECT_EQ(arrivals.back(), (Arrival{2, 102'000, 2}));
}

TEST(Fabric, BothDirectionsOfALinkAreIndependent) {
  Fabric fabric(2, slow);
  introduce(fabric, 2);
  fabric.accept(0, frame(0, 1, 976, 1), 0);
  fabric.accept(1, frame(1, 0, 976, 2), 0);
  EXPECT_EQ(run_dry(fabric), (std::vector<Arrival>{{1, 101'000, 1}, {0, 101'000, 2}}));
}

TEST(Fabric, ManyFramesKeepTheRateWithoutRounding) {
  Fabric fabric(2, {.latency_ns = 0, .bytes_per_second = 3e9});  // 333 1/3 ns a frame
  introduce(fabric, 2);
  constexpr int count = 3000;
  for (int index = 0; index < count; ++index) fabric.accept(0, frame(0, 1, 976), 0);
  EXPECT_NEAR(static_cast<double>(run_dry(fabric).back().due_ns), count * 1000.0 / 3.0, 1.0);
}

TEST(Fabric, UnknownAndGroupAddressesReachAllOthersOnce) {
  Fabric fabric(3, slow);
  fabric.accept(0, frame(0, 1, 976), 0);
  EXPECT_EQ(run_dry(fabric).size(), 2u);
  fabric.accept(1, frame(1, everybody, 976), 1'000'000);
  EXPECT_EQ(run_dry(fabric).size(), 2u);
  fabric.accept(2, frame(2, 1, 976), 2'000'000);
  EXPECT_EQ(run_dry(fabric), (std::vector<Arrival>{{1, 2'101'000, 0}}));
}

TEST(Fabric, FullQueuesDropAndCount) {
  Fabric fabric(3, {.latency_ns = 0, .bytes_per_second = 1e9, .queue_bytes = 10'000});
  introduce(fabric, 3);
  for (int index = 0; index < 12; ++index) fabric.accept(0, frame(0, 1, 976), 0);
  const auto at_the_sender = fabric.counts().dropped_frames;
  EXPECT_EQ(at_the_sender, 2u);
  EXPECT_EQ(run_dry(fabric).size(), 10u);
  for (int index = 0; index < 10; ++index) {
    fabric.accept(0, frame(0, 2, 976), 1'000'000);
    fabric.accept(1, frame(1, 2, 976), 1'000'000);
  }
  const auto arrivals = run_dry(fabric);
  const Counts& counts = fabric.counts();
  EXPECT_EQ(arrivals.size() + counts.dropped_frames - at_the_sender, 20u);
}

TEST(Fabric, AReceiverShortOfRateDrops) {
  Fabric fabric(4, {.latency_ns = 0, .bytes_per_second = 1e9, .queue_bytes = 10'000});
  introduce(fabric, 4);
  for (int index = 0; index < 10; ++index)
    for (unsigned char source = 0; source < 3; ++source)
      fabric.accept(source, frame(source, 3, 976), 0);
  EXPECT_LT(run_dry(fabric).size(), 30u);
  EXPECT_GT(fabric.counts().dropped_frames, 0u);
}

TEST(Fabric, FramesWithoutAddressesAreRefused) {
  Fabric fabric(2, {});
  fabric.accept(0, Frame(13), 0);
  EXPECT_FALSE(fabric.next_event(fabric.ports()));
  EXPECT_EQ(fabric.counts().malformed_frames, 1u);
}

TEST(WakeMargin, ComesToCoverMostWakeUps) {
  WakeMargin margin(60'000);
  for (int index = 0; index < 20'000; ++index)
    margin.observe(index % 100 * 300);  // uniform, 0 to 30 us
  EXPECT_NEAR(static_cast<double>(margin.value_ns()), 0.9 * 30'000, 3'000);
}

TEST(WakeMargin, StaysInItsRange) {
  WakeMargin margin(50'000);
  for (int index = 0; index < 1000; ++index) margin.observe(1'000'000'000);
  EXPECT_EQ(margin.value_ns(), 50'000);
  for (int index = 0; index < 1000; ++index) margin.observe(0);
  EXPECT_EQ(margin.value_ns(), static_cast<Nanoseconds>(WakeMargin::lowest_ns));
}

TEST(WakeMargin, IsNothingWhereNothingMayBePolled) {
  WakeMargin margin(0);
  EXPECT_EQ(margin.value_ns(), 0);
  margin.observe(1'000'000'000);
  EXPECT_EQ(margin.value_ns(), 0);
}

TEST(Lateness, QuantilesAndMaximum) {
  Lateness lateness;
  EXPECT_EQ(lateness.quantile_ns(0.5), 0);
  for (int index = 0; index < 99; ++index) lateness.add(2500);
  lateness.add(7'000'000'000);
  EXPECT_EQ(lateness.quantile_ns(0.5), 3000);
  EXPECT_EQ(lateness.quantile_ns(0.99), 3000);
  EXPECT_EQ(lateness.quantile_ns(1.0), 7'000'000'000);
  EXPECT_EQ(lateness.maximum_ns(), 7'000'000'000);
}

TEST(SwitchOptions, AreRead) {
  const SwitchOptions options =
      parse_switch_options({"--latency-ns=100000", "--bytes-per-second=1.25e8", "--mtu=1500",
                            "--priority=50", "--longest-poll-ns=0", "--cores=3,1", "a", "b"})
          .value();
  EXPECT_EQ(options.link.latency_ns, 100'000);
  EXPECT_EQ(options.link.bytes_per_second, 1.25e8);
  EXPECT_EQ(options.largest_payload_bytes, 1500u);
  EXPECT_EQ(options.priority, 50);
  EXPECT_EQ(options.longest_poll_ns, 0);
  EXPECT_EQ(options.cores, (std::vector<int>{3, 1}));
  EXPECT_EQ(options.namespace_files, (std::vector<std::string>{"a", "b"}));
}

TEST(SwitchOptions, MistakesAreNamed) {
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{}, Words{"--latency-ns=-1", "a"}, Words{"--mtu=1e3", "a"}, Words{"--mtu", "a"},
        Words{"--colour=red", "a"}, Words{"--bytes-per-second=fast", "a"},
        Words{"--queue-bytes=99999", "a"}, Words{"--longest-poll-ns=-1", "a"},
        Words{"--cores=0,1", "a"}, Words{"--cores=-1", "a"}, Words{"--priority=100", "a"}})
    EXPECT_THROW(parse_switch_options(words), base::UserError);
}

}  // namespace
}  // namespace hakaru::lab
