// Every algorithm against the MPI library: the same bytes at 1 to 9 ranks and many lengths.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "native/parallel/collectives/algorithms.hpp"
#include "native/parallel/collectives/exchange.hpp"
#include "native/parallel/test_main.hpp"

namespace hakaru::parallel::collectives {
namespace {

using Bytes = std::vector<std::byte>;

const std::vector<std::size_t> lengths{0, 1, 3, 8, 17, 64, 1000, 4097, 70'001};

// Other bytes on each rank and for each seed.
Bytes pattern(std::size_t bytes, unsigned seed) {
  std::mt19937 generator(seed);
  Bytes data(bytes);
  for (std::byte& one : data) one = static_cast<std::byte>(generator());
  return data;
}

TEST(Allgather, IsTheLibrarys) {
  const auto world = Communicator::world();
  for (const std::size_t bytes : lengths) {
    const Bytes own = pattern(bytes, 100 + world.rank());
    Bytes wanted(bytes * world.size());
    HAKARU_MPI(MPI_Allgather(own.data(), count_of(bytes), MPI_BYTE, wanted.data(), count_of(bytes),
                             MPI_BYTE, world.handle()));
    for (const auto& algorithm : allgathers()) {
      Bytes got(wanted.size());
      algorithm.run(world, own.data(), got.data(), bytes);
      EXPECT_EQ(got, wanted) << algorithm.name << ' ' << bytes;
    }
  }
}

TEST(Alltoall, IsTheLibrarys) {
  const auto world = Communicator::world();
  for (const std::size_t bytes : lengths) {
    const Bytes out = pattern(bytes * world.size(), 200 + world.rank());
    Bytes wanted(out.size());
    HAKARU_MPI(MPI_Alltoall(out.data(), count_of(bytes), MPI_BYTE, wanted.data(), count_of(bytes),
                            MPI_BYTE, world.handle()));
    for (const auto& algorithm : alltoalls()) {
      Bytes got(wanted.size());
      algorithm.run(world, out.data(), got.data(), bytes);
      EXPECT_EQ(got, wanted) << algorithm.name << ' ' << bytes;
    }
  }
}

// Whole numbers: their sum does not depend on the order.
TEST(Allreduce, IsTheLibrarys) {
  const auto world = Communicator::world();
  for (const std::size_t n : lengths) {
    std::mt19937 generator(300 + world.rank());
    std::vector<double> own(n);
    for (double& one : own) one = static_cast<double>(generator() % 100'000);
    std::vector<double> wanted = own;
    world.sum(wanted);
    for (const auto& algorithm : allreduces()) {
      std::vector<double> got = own;
      algorithm.run(world, got);
      EXPECT_EQ(got, wanted) << algorithm.name << ' ' << n;
    }
  }
}

TEST(Allreduce, IsTheSameOnEveryRankBitByBit) {
  const auto world = Communicator::world();
  std::mt19937 generator(400 + world.rank());
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> own(777);
  for (double& one : own) one = uniform(generator);
  for (const auto& algorithm : allreduces()) {
    std::vector<double> got = own, first;
    algorithm.run(world, got);
    first = got;
    world.broadcast(first, 0);
    EXPECT_EQ(got, first) << algorithm.name;
  }
}

TEST(Broadcast, IsTheRootsFromEveryRoot) {
  const auto world = Communicator::world();
  for (const std::size_t bytes : lengths)
    for (int root = 0; root < world.size(); ++root) {
      const Bytes wanted = pattern(bytes, 500 + root);
      for (const auto& algorithm : broadcasts()) {
        Bytes got = world.rank() == root ? wanted : Bytes(bytes);
        algorithm.run(world, got.data(), bytes, root);
        EXPECT_EQ(got, wanted) << algorithm.name << ' ' << bytes << " from " << root;
      }
    }
}

TEST(Algorithms, LeaveNoMessageBehind) {
  const auto world = Communicator::world();
  world.barrier();
  int waiting = 0;
  HAKARU_MPI(
      MPI_Iprobe(MPI_ANY_SOURCE, algorithms_tag, world.handle(), &waiting, MPI_STATUS_IGNORE));
  EXPECT_EQ(waiting, 0);
}

TEST(Parts, CoverTheVectorInOrder) {
  for (std::size_t n : {0u, 1u, 7u, 100u})
    for (int parts : {1, 2, 3, 9}) {
      std::size_t next = 0;
      for (int i = 0; i < parts; ++i) {
        EXPECT_EQ(part_of(n, parts, i).first, next);
        next += part_of(n, parts, i).length;
      }
      EXPECT_EQ(next, n);
    }
}

}  // namespace
}  // namespace hakaru::parallel::collectives

HAKARU_MPI_TEST_MAIN()
