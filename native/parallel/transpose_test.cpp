#include "native/parallel/transpose.hpp"

#include <vector>

#include "native/parallel/test_main.hpp"

using hakaru::parallel::Communicator;
using hakaru::parallel::SlabTranspose;
using hakaru::parallel::SlottedBuffer;
using hakaru::parallel::TransposeMethod;

namespace {

constexpr int rows = 3, row_values = 5, near_slots = 4, far_slots = 3;

double value_of(int from, int to, int slot, int i) {
  return i + 100.0 * slot + 1e4 * to + 1e6 * from;
}

class Transpose : public ::testing::TestWithParam<TransposeMethod> {
 protected:
  Transpose()
      : world(Communicator::world()),
        block(rows * row_values),
        near(near_slots * world.size() * block, -1.0),
        far(far_slots * world.size() * block, -1.0),
        transpose(world, GetParam(), rows, row_values * sizeof(double),
                  SlottedBuffer{near.data(), near_slots}, SlottedBuffer{far.data(), far_slots}) {}

  double& at(std::vector<double>& values, int slot, int peer, int i) {
    return values[(static_cast<std::size_t>(slot) * world.size() + peer) * block + i];
  }

  const Communicator world;
  const int block;
  std::vector<double> near, far;
  SlabTranspose transpose;
};

TEST_P(Transpose, MovesEachBlockToItsPeer) {
  for (int slot = 0; slot < near_slots; ++slot)
    for (int to = 0; to < world.size(); ++to)
      for (int i = 0; i < block; ++i) at(near, slot, to, i) = value_of(world.rank(), to, slot, i);
  transpose.near_to_far(2, 1, 2);
  for (int from = 0; from < world.size(); ++from)
    for (int i = 0; i < block; ++i) {
      EXPECT_EQ(at(far, 0, from, i), -1.0) << "a slot that does not take part was written";
      EXPECT_EQ(at(far, 1, from, i), value_of(from, world.rank(), 2, i));
      EXPECT_EQ(at(far, 2, from, i), value_of(from, world.rank(), 3, i));
    }
}

TEST_P(Transpose, ThereAndBackIsTheIdentityManyTimes) {
  for (int slot = 0; slot < near_slots; ++slot)
    for (int to = 0; to < world.size(); ++to)
      for (int i = 0; i < block; ++i) at(near, slot, to, i) = value_of(world.rank(), to, slot, i);
  const std::vector<double> before = near;
  for (int turn = 0; turn < 20; ++turn) {
    transpose.near_to_far(0, 0, 3);
    std::fill_n(near.begin(), 3 * world.size() * block, 0.0);
    transpose.far_to_near(0, 0, 3);
    ASSERT_EQ(near, before) << "turn " << turn;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Transpose,
                         ::testing::Values(TransposeMethod::alltoall, TransposeMethod::put));

}  // namespace

HAKARU_MPI_TEST_MAIN()
