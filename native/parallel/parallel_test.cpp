#include "native/parallel/communicator.hpp"
#include "native/parallel/test_main.hpp"

using hakaru::parallel::Communicator;
using hakaru::parallel::MpiError;

TEST(Communicator, GathersTextsOfDifferentLength) {
  const auto world = Communicator::world();
  const auto texts = world.gather_text(std::string(world.rank(), 'x'), 0);
  if (world.rank() != 0) {
    EXPECT_TRUE(texts.empty());
    return;
  }
  ASSERT_EQ(static_cast<int>(texts.size()), world.size());
  for (int rank = 0; rank < world.size(); ++rank) EXPECT_EQ(texts[rank], std::string(rank, 'x'));
}

TEST(Communicator, ReducesAndGathers) {
  const auto world = Communicator::world();
  EXPECT_EQ(world.sum(1), world.size());
  EXPECT_EQ(world.maximum(static_cast<double>(world.rank())), world.size() - 1.0);
  EXPECT_FALSE(world.all(world.rank() != world.size() - 1));
  const auto values = world.gather(std::vector<int>{world.rank(), -world.rank()}, 0);
  if (world.rank() == 0) {
    EXPECT_EQ(values.back(), 1 - world.size());
  }
}

TEST(Communicator, SplitsByColour) {
  const auto world = Communicator::world();
  const auto half = world.split(world.rank() % 2, world.rank());
  EXPECT_EQ(half.size(), (world.size() + 1 - world.rank() % 2) / 2);
  EXPECT_EQ(half.rank(), world.rank() / 2);
}

TEST(Communicator, ReducesInAnySubset) {
  const auto world = Communicator::world();
  std::vector<int> others;  // all but the first, backwards
  for (int rank = world.size() - 1; rank > 0; --rank) others.push_back(rank);
  if (world.rank() == 0) return;
  const auto part = world.subset(others);
  ASSERT_EQ(part.size(), world.size() - 1);
  EXPECT_EQ(part.rank(), world.size() - 1 - world.rank());
  part.barrier();
  EXPECT_EQ(part.sum(world.rank()), world.size() * (world.size() - 1) / 2);
  std::vector<double> values = {1.0 * world.rank(), -1.0 * world.rank()};
  part.reduce_all(values, MPI_MAX);
  EXPECT_EQ(values, (std::vector<double>{world.size() - 1.0, -1.0}));
}

TEST(Communicator, TurnsErrorsIntoExceptions) {
  const auto world = Communicator::world();
  int value = 0;
  try {
    HAKARU_MPI(MPI_Send(&value, 1, MPI_INT, world.size() + 5, 0, world.handle()));
    FAIL() << "a send to a rank that does not exist succeeded";
  } catch (const MpiError& error) {
    EXPECT_NE(std::string(error.what()).find("MPI_Send failed"), std::string::npos);
  }
}

HAKARU_MPI_TEST_MAIN()
