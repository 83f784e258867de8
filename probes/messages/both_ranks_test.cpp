// Where the roles of a pair differ, both ranks take both of them: counted by the sends of each.
#include "native/parallel/test_main.hpp"
#include "probes/messages/point_to_point.hpp"

namespace {
int sends = 0;
}

extern "C" int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm communicator) {
  ++sends;
  return PMPI_Send(data, count, type, to, tag, communicator);
}

namespace hakaru::probes::messages {
namespace {

int sends_of(PointToPoint& messages, int iterations) {
  constexpr int count = 4;
  sends = 0;
  messages.train(count, 0.0, 8, iterations);
  messages.delayed_receive(Until::computing, 0.0, 8, iterations);
  return sends;
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

TEST(PointToPoint, BothRanksKnowTheMean) {
  PointToPoint messages(parallel::Communicator::world(), 1024);
  const TrainTime train = messages.train(4, 1e-5, 8, 6);
  EXPECT_EQ(train.seconds, messages.communicator().maximum(train.seconds));
  EXPECT_GE(train.delay_s, 1e-5);
}

}  // namespace
}  // namespace hakaru::probes::messages

HAKARU_MPI_TEST_MAIN()
