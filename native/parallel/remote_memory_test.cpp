#include "native/parallel/remote_memory.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "native/base/require.hpp"
#include "native/parallel/test_main.hpp"

using hakaru::base::UserError;
using hakaru::parallel::Communicator;
using hakaru::parallel::Flags;
using hakaru::parallel::RemoteMemory;
using hakaru::parallel::RemotePath;
using hakaru::parallel::Stride;

namespace {

using Bytes = std::vector<std::byte>;

class RemoteMemoryTest : public ::testing::TestWithParam<RemotePath> {
 protected:
  RemoteMemory make(std::size_t bytes, int flags) {
    return RemoteMemory(world, bytes, flags, GetParam());
  }
  int next() const { return (world.rank() + 1) % world.size(); }
  int previous() const { return (world.rank() + world.size() - 1) % world.size(); }

  const Communicator world = Communicator::world();
};

TEST_P(RemoteMemoryTest, IsZeroedAlignedAndOfItsOwnLength) {
  RemoteMemory memory = make(100 + 7 * static_cast<std::size_t>(world.rank()), 3);
  EXPECT_EQ(memory.bytes(), 100 + 7 * static_cast<std::size_t>(world.rank()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.memory()) % 64, 0u);
  for (std::size_t i = 0; i < memory.bytes(); ++i) ASSERT_EQ(memory.memory()[i], std::byte{0});
  for (int flag = 1; flag <= 3; ++flag) EXPECT_EQ(memory.flag(flag), 0u);
}

TEST_P(RemoteMemoryTest, RaisesFlagsAtBothEndsWhenDataAreThere) {
  RemoteMemory memory = make(8, 2);
  const std::uint64_t value = 1000 + static_cast<std::uint64_t>(world.rank());
  memory.put(next(), 0, &value, 8, {.sent = 1, .received = 2});
  memory.wait_flag(2);
  EXPECT_EQ(*memory.as<std::uint64_t>(), 1000u + static_cast<unsigned>(previous()));
  memory.wait_flag(1);
  EXPECT_EQ(memory.flag(1), 0u);
  EXPECT_EQ(memory.flag(2), 0u);
  memory.acknowledge_and_barrier();

  std::uint64_t read = 0;
  memory.get(next(), 0, &read, 8, {.sent = 2, .received = 1});
  memory.wait_flag(1);
  EXPECT_EQ(read, value);
  memory.wait_flag(2);
  memory.acknowledge_and_barrier();
}

TEST_P(RemoteMemoryTest, WaitsTakeRaisesOff) {
  RemoteMemory memory = make(0, 1);
  for (int i = 0; i < 5; ++i) memory.put(next(), 0, nullptr, 0, {.received = 1});
  memory.acknowledge_and_barrier();
  EXPECT_EQ(memory.flag(1), 5u);
  memory.wait_flag(1, 2);
  EXPECT_EQ(memory.flag(1), 3u);
  memory.wait_flag(1, 3);
  EXPECT_EQ(memory.flag(1), 0u);
  memory.acknowledge_and_barrier();
}

// Two ranks hand a block to and fro; a flag that comes before its data would show.
TEST_P(RemoteMemoryTest, FlagsFollowTheirData) {
  constexpr std::size_t words = 1500;
  RemoteMemory memory = make(words * 8, 2);
  std::vector<std::uint64_t> block(words);
  for (std::uint64_t turn = 1; turn <= 100; ++turn) {
    std::fill(block.begin(), block.end(), turn);
    memory.put(next(), 0, block.data(), words * 8, {.received = 1});
    memory.wait_flag(1);
    const auto* arrived = memory.as<std::uint64_t>();
    ASSERT_TRUE(std::all_of(arrived, arrived + words, [&](auto word) { return word == turn; }));
    memory.put(previous(), 0, nullptr, 0, {.received = 2});
    memory.wait_flag(2);
  }
}

TEST_P(RemoteMemoryTest, ReadsAndWritesSingleElements) {
  RemoteMemory memory = make(64, 0);
  const double value = 0.5 + world.rank();
  memory.write_remote(next(), 8, &value, sizeof value);
  memory.acknowledge_and_barrier();
  EXPECT_EQ(memory.as<double>(8)[0], 0.5 + previous());
  double read = 0;
  memory.read_remote(next(), 8, &read, sizeof read);
  EXPECT_EQ(read, value);
  memory.acknowledge_and_barrier();
}

TEST_P(RemoteMemoryTest, WorksInASubsetOfTheRanks) {
  const Communicator half = world.split(world.rank() % 2, -world.rank());
  // One half after the other: see the note at RemoteMemory.
  if (world.rank() % 2 == 1) world.barrier();
  RemoteMemory memory(half, 4, 1, GetParam());
  if (world.rank() % 2 == 0) world.barrier();
  const int value = half.rank();
  memory.put((half.rank() + 1) % half.size(), 0, &value, 4, {.received = 1});
  memory.wait_flag(1);
  EXPECT_EQ(*memory.as<int>(), (half.rank() + half.size() - 1) % half.size());
  memory.acknowledge_and_barrier();
}

TEST_P(RemoteMemoryTest, MovesAndReplaces) {
  RemoteMemory memory = make(8, 1);
  memory = make(16, 2);
  RemoteMemory other = std::move(memory);
  EXPECT_EQ(other.bytes(), 16u);
  other.put(next(), 8, &world, 8, {.received = 2});
  other.wait_flag(2);
  other.acknowledge_and_barrier();
}

// Bytes of a stride one by one, in order.
std::vector<std::size_t> places(std::size_t begin, const Stride& stride) {
  std::vector<std::size_t> all;
  for (std::size_t item = 0; item < stride.items; ++item)
    for (std::size_t byte = 0; byte < stride.item_bytes; ++byte)
      all.push_back(begin + item * stride.step_bytes + byte);
  return all;
}

std::size_t extent(const Stride& stride) {
  return stride.items == 0 ? 0 : (stride.items - 1) * stride.step_bytes + stride.item_bytes;
}

struct Shape {
  Stride remote, local;
};

Shape random_shape(std::mt19937& random) {
  const auto below = [&](std::size_t most) { return std::size_t{random() % most}; };
  static constexpr std::size_t sizes[] = {1, 3, 4, 8, 16, 24, 32, 64, 100};
  const std::size_t item = sizes[below(std::size(sizes))], items = below(12);
  const std::size_t parts = 1 + below(3);  // an item here may be several there
  Shape shape{{item * parts, items, item * parts + below(40)},
              {item, items * parts, item + below(3) * 8}};
  if (below(4) == 0) shape.local = {item * parts * items, 1, 0};
  if (below(4) == 0) shape.remote = {item * parts * items, 1, 0};
  if (below(2) == 0) std::swap(shape.remote, shape.local);
  return shape;
}

struct Move {
  int target;
  std::size_t remote, local;
  Shape shape;
};

constexpr std::size_t slice = 8192, rounds = 60;

// Every rank moves something to or from a slice of its own in a random target.
class PlainCopy : public RemoteMemoryTest {
 protected:
  PlainCopy() : random_(20'261'121), local_(slice), size_(static_cast<std::size_t>(world.size())) {
    models_.assign(size_, Bytes(slice * size_));
  }

  std::vector<Move> moves() {
    std::vector<Move> all;
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const Shape shape = random_shape(random_);
      const int target = static_cast<int>(random_() % size_);
      const std::size_t room = slice - extent(shape.remote);
      all.push_back({target, rank * slice + random_() % (room + 1),
                     random_() % (slice - extent(shape.local) + 1), shape});
    }
    return all;
  }
  std::byte any(std::size_t rank, std::size_t i) const {
    return static_cast<std::byte>(i * 31 + rank * 7 + round_ * 13 + 1);
  }
  void fill(std::size_t rank, Bytes& bytes) const {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = any(rank, i);
  }

  std::mt19937 random_;
  Bytes local_;
  std::size_t size_, round_ = 0;
  std::vector<Bytes> models_;  // the memory of every rank, by plain copies
};

TEST_P(PlainCopy, PutsDoTheSame) {
  RemoteMemory memory = make(slice * size_, 1);
  const auto me = static_cast<std::size_t>(world.rank());
  for (round_ = 0; round_ < rounds; ++round_) {
    std::uint64_t coming = 0;
    fill(me, local_);
    const std::vector<Move> all = moves();
    for (std::size_t rank = 0; rank < size_; ++rank) {
      const auto& [target, remote, local, shape] = all[rank];
      const auto to = places(remote, shape.remote), from = places(local, shape.local);
      ASSERT_EQ(to.size(), from.size());
      auto& model = models_[static_cast<std::size_t>(target)];
      for (std::size_t i = 0; i < to.size(); ++i) model[to[i]] = any(rank, from[i]);
      coming += target == world.rank();
    }
    const auto& own = all[me];
    memory.put_stride(own.target, own.remote, own.shape.remote, local_.data() + own.local,
                      own.shape.local, {.received = 1});
    memory.wait_flag(1, coming);
    ASSERT_TRUE(std::equal(models_[me].begin(), models_[me].end(), memory.memory())) << round_;
    memory.acknowledge_and_barrier();
  }
}

TEST_P(PlainCopy, GetsDoTheSame) {
  RemoteMemory memory = make(slice * size_, 1);
  const auto me = static_cast<std::size_t>(world.rank());
  for (round_ = 0; round_ < rounds; ++round_) {
    Bytes own(slice * size_), expected(slice);
    fill(me, own);
    std::copy(own.begin(), own.end(), memory.memory());
    std::fill(local_.begin(), local_.end(), std::byte{0});
    memory.acknowledge_and_barrier();
    const std::vector<Move> all = moves();
    const auto& [target, remote, local, shape] = all[me];
    const auto from = places(remote, shape.remote), to = places(local, shape.local);
    for (std::size_t i = 0; i < to.size(); ++i)
      expected[to[i]] = any(static_cast<std::size_t>(target), from[i]);
    const bool by_flag = round_ % 2 == 0;
    memory.get_stride(target, remote, shape.remote, local_.data() + local, shape.local,
                      {.received = by_flag ? 1 : 0});
    if (by_flag)
      memory.wait_flag(1);
    else
      memory.acknowledge();
    ASSERT_EQ(local_, expected) << round_;
    memory.acknowledge_and_barrier();
  }
}

struct Refused {
  int rank;
  std::size_t remote;
  Stride there, here;
  Flags flags;
  const char* words;
};

TEST_P(RemoteMemoryTest, RefusesWhatIsNotExposedAndChangesNothing) {
  RemoteMemory memory = make(100, 2);
  const Stride ten{10, 1, 10};
  const int ranks = world.size();
  const std::vector<Refused> refused = {
      {ranks, 0, ten, ten, {}, "is not of the group"},
      {-1, 0, ten, ten, {}, "is not of the group"},
      {0, 91, ten, ten, {}, "are not exposed"},
      {0, std::size_t(-5), ten, ten, {}, "are not exposed"},
      {0, 0, {10, 4, 31}, {40, 1, 0}, {}, "are not exposed"},
      {0, 0, {1, 10, std::size_t(1) << 62}, ten, {}, "too long"},
      {0, 0, {10, 4, 9}, {40, 1, 0}, {}, "overlaps itself"},
      {0, 0, {40, 1, 0}, {10, 4, 9}, {}, "overlaps itself"},
      {0, 0, ten, {11, 1, 11}, {}, "do not fit"},
      {0, 0, ten, ten, {.sent = 3}, "flag 3 does not exist"},
      {0, 0, ten, ten, {.sent = 1, .received = 3}, "flag 3 does not exist"},
      {0, 0, ten, ten, {.received = -1}, "flag -1 does not exist"},
  };
  Bytes local(200, std::byte{77});
  const auto message = [&](const Refused& one, bool put) -> std::string {
    try {
      if (put)
        memory.put_stride(one.rank, one.remote, one.there, local.data(), one.here, one.flags);
      else
        memory.get_stride(one.rank, one.remote, one.there, local.data(), one.here, one.flags);
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  };
  for (const Refused& one : refused)
    for (const bool put : {true, false})
      EXPECT_NE(message(one, put).find(one.words), std::string::npos) << message(one, put);
  EXPECT_THROW(memory.wait_flag(0), UserError);
  EXPECT_THROW(memory.flag(3), UserError);
  memory.acknowledge_and_barrier();
  EXPECT_EQ(local, Bytes(200, std::byte{77}));
  EXPECT_TRUE(std::all_of(memory.memory(), memory.memory() + 100,
                          [](std::byte byte) { return byte == std::byte{0}; }));
  for (int flag = 1; flag <= 2; ++flag) EXPECT_EQ(memory.flag(flag), 0u);
}

TEST_P(RemoteMemoryTest, FlagsThatDifferBetweenRanksAreRefusedEverywhere) {
  if (world.size() > 1) {
    EXPECT_THROW(make(8, world.rank() == 0 ? 1 : 2), UserError);
  }
  EXPECT_THROW(make(8, -1), UserError);
}

INSTANTIATE_TEST_SUITE_P(Paths, RemoteMemoryTest,
                         ::testing::Values(RemotePath::automatic, RemotePath::rma));
INSTANTIATE_TEST_SUITE_P(Paths, PlainCopy,
                         ::testing::Values(RemotePath::automatic, RemotePath::rma));

}  // namespace

HAKARU_MPI_TEST_MAIN()
