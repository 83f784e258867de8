// Where the roles of a pair differ, both ranks take both of them: counted by the sends of each.
#include <algorithm>
#include <string>

#include "native/parallel/test_main.hpp"
#include "probes/messages/point_to_point.hpp"

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

}  // namespace
}  // namespace hakaru::probes::messages

HAKARU_MPI_TEST_MAIN()
