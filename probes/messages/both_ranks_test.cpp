// Where the roles of a pair differ, both ranks take both of them: counted by the sends of each.
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <string>

#include "native/base/clock.hpp"
#include "native/parallel/test_main.hpp"
#include "probes/messages/point_to_point.hpp"
#include "probes/messages/refill.hpp"
#include "probes/messages/rounds.hpp"
#include "probes/messages/served.hpp"

namespace {
std::string calls;  // s: a send, r: a receive
}

extern "C" int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm communicator) {
  calls += 's';
  return PMPI_Send(data, count, type, to, tag, communicator);
}

extern "C" int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag,
                        MPI_Comm communicator, MPI_Status* status) {
  calls += 'r';
  return PMPI_Recv(data, count, type, from, tag, communicator, status);
}

namespace hakaru::probes::messages {
namespace {

int sends_of(PointToPoint& messages, int iterations) {
  constexpr int count = 4;
  calls.clear();
  messages.train(count, 0.0, 8, iterations);
  messages.delayed_receive(Until::computing, 0.0, 8, iterations);
  return static_cast<int>(std::count(calls.begin(), calls.end(), 's'));
}

TEST(PointToPoint, EitherRankIsTheClientOfHalfOfTheIterations) {
  PointToPoint messages(parallel::Communicator::world(), 1024);
  const int own = sends_of(messages, 10);
  EXPECT_EQ(own, messages.communicator().sum(own) - own);
}

TEST(PointToPoint, TheFirstRankIsTheClientOfASingleIteration) {
  PointToPoint messages(parallel::Communicator::world(), 1024);
  const int own = sends_of(messages, 1), both = messages.communicator().sum(own);
  EXPECT_EQ(own > both - own, messages.communicator().rank() == 0);
}

// Else its first message waits behind its own answer.
TEST(PointToPoint, AClientHasReceivedBeforeItsTimeBegins) {
  PointToPoint messages(parallel::Communicator::world(), 1024);
  const std::string client = "srsr", server = "rsrs";  // one round trip before, and one that counts
  calls.clear();
  messages.train(1, 0.0, 8, 2);
  EXPECT_EQ(calls, messages.communicator().rank() == 0 ? client + server : server + client);
}

TEST(PointToPoint, BothRanksKnowTheMean) {
  PointToPoint messages(parallel::Communicator::world(), 1024);
  const TrainTime train = messages.train(4, 1e-5, 8, 6);
  EXPECT_EQ(train.seconds, messages.communicator().maximum(train.seconds));
  EXPECT_GE(train.delay_s, 1e-5);
}

// What a message keeps of a processor is what is left of its turn.
TEST(Served, TurnsHoldTheirWork) {
  constexpr double work_s = 1e-4;
  constexpr int count = 8, lag = 3;
  const auto world = parallel::Communicator::world();
  Served served(world, 1024);
  calls.clear();
  const ServedTime row = served.sends_in_row(work_s, 1024, count);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), 's'), 2 * count + 2) << "and two answers";
  EXPECT_EQ(std::count(calls.begin(), calls.end(), 'r'), 2 * count + 2);
  calls.clear();
  const ServedTime lagged = served.lagged(work_s, 1024, lag, count);
  EXPECT_EQ(calls.size(), lag + 2 * count) << "all that was sent is received";
  for (const ServedTime& one : {row, lagged}) {
    EXPECT_GT(one.work_s, 0.5 * work_s);
    EXPECT_GT(one.seconds, 0.5 * work_s);
    EXPECT_EQ(one.seconds, world.maximum(one.seconds)) << "both ranks know the mean";
  }
}

TEST(Refill, RanksWaitInExchangesForAsLongAsTheFirstSays) {
  const auto world = parallel::Communicator::world();
  Refill refill(world, 1 << 20);
  for (const double waiting_s : {0.0, 2e-3}) {
    const RefillTime one = refill.after_waiting(waiting_s);
    EXPECT_GT(one.warm_s, 0.0);
    EXPECT_GT(one.seconds, 0.0);
    EXPECT_GE(one.waited_s, 0.5 * waiting_s) << "the other may begin later";
    EXPECT_EQ(one.seconds, world.maximum(one.seconds)) << "both ranks know the mean";
  }
}

// Half of the time, as an interrupt would.
class Interrupted {
 public:
  Interrupted() {
    struct sigaction action {};
    action.sa_handler = [](int) {
      const double begin = base::now_s();
      while (base::now_s() - begin < 0.5 * period_s) continue;
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    set_timer(static_cast<suseconds_t>(1e6 * period_s));
  }
  ~Interrupted() { set_timer(0); }
  Interrupted(const Interrupted&) = delete;
  Interrupted& operator=(const Interrupted&) = delete;

 private:
  static constexpr double period_s = 1e-3;
  static void set_timer(suseconds_t period_us) {
    const itimerval timer{{0, period_us}, {0, period_us}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
};

TEST(PointToPoint, WhatAWaitLosesToOthersIsStolen) {
  PointToPoint messages(parallel::Communicator::world(), 1024);
  const double quiet_s = messages.train(2, 2e-3, 8, 2).stolen_s;
  const Interrupted interrupted;
  const TrainTime train = messages.train(2, 20e-3, 8, 2);
  EXPECT_GE(train.stolen_s, 0.3 * train.delay_s);
  EXPECT_LE(train.stolen_s, train.delay_s);
  EXPECT_GE(quiet_s, 0.0);
}

TEST(Rounds, OfTwoSeriesTakeTurns) {
  const auto world = parallel::Communicator::world();
  std::string order;
  const auto points = [&](char name) {
    Point point;
    point.bytes = point.most_iterations = 1;
    point.measure = [](int) { return 1e-6; };
    point.keep = [&order, name](int, double) { order += name; };
    return std::vector<Point>{point};
  };
  constexpr int turns = 4;
  Rounds each_turn(world, points('a'), {1.0, turns}), every_other(world, points('b'), {1.0, 2});
  for (int turn = 0; turn < turns; ++turn) {
    each_turn.take(turn, turns);
    every_other.take(turn, turns);
  }
  EXPECT_EQ(order, world.rank() == 0 ? "aabaab" : "");
}

}  // namespace
}  // namespace hakaru::probes::messages

HAKARU_MPI_TEST_MAIN()
