#include "native/parallel/ring_buffer.hpp"

#include <numeric>
#include <random>

#include "native/base/require.hpp"
#include "native/parallel/test_main.hpp"

using hakaru::base::UserError;
using hakaru::parallel::Communicator;
using hakaru::parallel::RemotePath;
using hakaru::parallel::RingBuffer;

namespace {

class Ring : public ::testing::TestWithParam<RemotePath> {
 protected:
  const Communicator world = Communicator::world();
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
};

std::vector<unsigned char> text(std::size_t bytes, int from, int number) {
  std::vector<unsigned char> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    all[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(from * 31 + number));
  return all;
}

TEST_P(Ring, FindsMessagesByTag) {
  RingBuffer ring(world, 64, 4, GetParam());
  for (int tag = 0; tag < 3; ++tag) ring.send(next, tag, text(100, world.rank(), tag).data(), 100);
  for (int tag = 2; tag >= 0; --tag) {
    std::vector<unsigned char> got(100);
    EXPECT_EQ(ring.receive(previous, tag, got.data(), 100), 100u);
    EXPECT_EQ(got, text(100, previous, tag));
  }
  world.barrier();
}

TEST_P(Ring, KeepsTheOrderOfATag) {
  RingBuffer ring(world, 64, 2, GetParam());
  for (int i = 0; i < 20; ++i) ring.send(next, 5, &i, sizeof i);
  for (int i = 0; i < 20; ++i) {
    int got = -1;
    ring.receive(previous, 5, &got, sizeof got);
    EXPECT_EQ(got, i);
  }
  world.barrier();
}

// Everybody sends everything before anybody receives: many times what the rings hold.
TEST_P(Ring, NeverOverruns) {
  RingBuffer ring(world, 256, 3, GetParam());
  std::mt19937 random(7);
  std::vector<std::size_t> lengths(12);
  for (auto& length : lengths) length = random() % 4000;
  for (int i = 0; i < 12; ++i)
    for (int to = 0; to < world.size(); ++to)
      ring.send(to, i % 5, text(lengths[static_cast<std::size_t>(i)], world.rank(), i).data(),
                lengths[static_cast<std::size_t>(i)]);
  for (int from = world.size() - 1; from >= 0; --from)
    for (int tag = 4; tag >= 0; --tag)
      for (int i = tag; i < 12; i += 5) {
        std::vector<unsigned char> got(4000);
        got.resize(ring.receive(from, tag, got.data(), got.size()));
        ASSERT_EQ(got, text(lengths[static_cast<std::size_t>(i)], from, i));
      }
  world.barrier();
}

TEST_P(Ring, RefusesWhatCannotBe) {
  EXPECT_THROW(RingBuffer(world, 64, 1, GetParam()), UserError);
  RingBuffer ring(world, 64, 2, GetParam());
  const int value = 3;
  int got = 0;
  EXPECT_THROW(ring.send(world.size(), 0, &value, 4), UserError);
  EXPECT_THROW(ring.receive(-1, 0, &got, 4), UserError);
  ring.send(next, 0, &value, 4);
  EXPECT_THROW(ring.receive(previous, 0, &got, 3), UserError);
  EXPECT_EQ(got, 0);
  world.barrier();
}

INSTANTIATE_TEST_SUITE_P(Paths, Ring, ::testing::Values(RemotePath::automatic, RemotePath::rma));

}  // namespace

HAKARU_MPI_TEST_MAIN()
