#include "native/parallel/distributed_array.hpp"

#include <random>

#include "native/base/require.hpp"
#include "native/parallel/test_main.hpp"

using hakaru::base::UserError;
using hakaru::parallel::Box;
using hakaru::parallel::Communicator;
using hakaru::parallel::Dimension;
using hakaru::parallel::DistributedArray;
using hakaru::parallel::Distribution;
using hakaru::parallel::RemotePath;

namespace {

using Index = std::array<std::int64_t, 3>;

class Arrays : public ::testing::TestWithParam<RemotePath> {
 protected:
  // A grid of all ranks in `dimensions` dimensions, by chance.
  std::vector<Dimension> random_dimensions(int dimensions) {
    std::vector<Dimension> all(static_cast<std::size_t>(dimensions));
    int left = world.size();
    for (auto& one : all) {
      std::vector<int> divisors;
      for (int ranks = 1; ranks <= left; ++ranks)
        if (left % ranks == 0) divisors.push_back(ranks);
      one.ranks = &one == &all.back() ? left : divisors[below(divisors.size())];
      left /= one.ranks;
      one.length = one.ranks * (1 + static_cast<std::int64_t>(below(4))) +
                   static_cast<std::int64_t>(below(3));
      one.distribution = below(2) == 0 ? Distribution::block : Distribution::cyclic;
    }
    return all;
  }
  std::size_t below(std::size_t most) { return random() % most; }

  const Communicator world = Communicator::world();
  std::mt19937 random{1995};
};

double value(const Index& g, int step) {
  return 1 + static_cast<double>(g[0] + 100 * g[1] + 10'000 * g[2]) + 1e7 * step;
}

Index extent(const DistributedArray& array, int dimensions) {
  Index counts{1, 1, 1};
  for (int d = 0; d < dimensions; ++d) counts[static_cast<std::size_t>(d)] = array.count(d);
  return counts;
}

template <typename Visit>
void for_each_index(const Index& begin, const Index& end, Visit visit) {
  for (std::int64_t i = begin[0]; i < end[0]; ++i)
    for (std::int64_t j = begin[1]; j < end[1]; ++j)
      for (std::int64_t k = begin[2]; k < end[2]; ++k) visit(Index{i, j, k});
}

Index global(const DistributedArray& array, int dimensions, const Index& own) {
  Index g = own;
  for (int d = 0; d < dimensions; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const bool cyclic = array.dimension(d).distribution == Distribution::cyclic;
    g[at] = array.first(d) + own[at] * (cyclic ? array.dimension(d).ranks : 1);
  }
  return g;
}

TEST_P(Arrays, SpreadMoveIsACopyOfTheBox) {
  for (int turn = 0; turn < 18; ++turn) {
    const int dimensions = 1 + turn % 3;
    DistributedArray array(world, sizeof(double), random_dimensions(dimensions), GetParam());
    Index length{1, 1, 1};
    for (int d = 0; d < dimensions; ++d)
      length[static_cast<std::size_t>(d)] = array.dimension(d).length;

    // Each rank gives a slab of the first dimension.
    Index begin{length[0] * world.rank() / world.size(), 0, 0}, end = length;
    end[0] = length[0] * (world.rank() + 1) / world.size();
    std::vector<double> given, got;
    for_each_index(begin, end, [&](const Index& g) { given.push_back(value(g, turn)); });
    const auto box = [&](const Index& from, const Index& to) {
      return Box{{from.begin(), from.begin() + dimensions}, {to.begin(), to.begin() + dimensions}};
    };
    array.spread_move_to(box(begin, end), given.data()).wait();
    world.barrier();
    for_each_index({0, 0, 0}, extent(array, dimensions), [&](const Index& own) {
      ASSERT_EQ(array.at<double>(own), value(global(array, dimensions, own), turn));
    });

    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
      begin[d] = static_cast<std::int64_t>(below(static_cast<std::size_t>(length[d])));
      end[d] = begin[d] +
               static_cast<std::int64_t>(below(static_cast<std::size_t>(length[d] - begin[d]) + 1));
    }
    std::vector<double> expected;
    for_each_index(begin, end, [&](const Index& g) { expected.push_back(value(g, turn)); });
    got.assign(expected.size(), -1.0);
    std::vector<double> again = got;
    auto move = array.spread_move_from(box(begin, end), got.data());
    auto second = array.spread_move_from(box(begin, end), again.data());
    second.wait();
    move.wait();
    ASSERT_EQ(got, expected) << "turn " << turn;
    ASSERT_EQ(again, expected) << "turn " << turn;
    array.memory().acknowledge_and_barrier();
  }
}

TEST_P(Arrays, OverlapFixFillsHalosAndCorners) {
  for (int turn = 0; turn < 12; ++turn) {
    const int dimensions = 1 + turn % 3;
    auto shape = random_dimensions(dimensions);
    for (auto& one : shape) {
      one.distribution = Distribution::block;
      one.halo = static_cast<std::int64_t>(
          below(static_cast<std::size_t>(std::min<std::int64_t>(one.length / one.ranks, 2)) + 1));
      one.periodic = below(2) == 0;
    }
    DistributedArray array(world, sizeof(double), shape, GetParam());
    const Index counts = extent(array, dimensions);
    for (int step = 0; step < 3; ++step) {
      for_each_index({0, 0, 0}, counts, [&](const Index& own) {
        array.at<double>(own) = value(global(array, dimensions, own), step);
      });
      array.overlap_fix();
      Index begin{0, 0, 0}, end = counts;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        begin[d] -= shape[d].halo;
        end[d] += shape[d].halo;
      }
      for_each_index(begin, end, [&](const Index& own) {
        Index g = global(array, dimensions, own);
        bool exists = true;
        for (std::size_t d = 0; d < shape.size(); ++d) {
          exists = exists && (shape[d].periodic || (g[d] >= 0 && g[d] < shape[d].length));
          g[d] = (g[d] + shape[d].length) % shape[d].length;
        }
        ASSERT_EQ(array.at<double>(own), exists ? value(g, step) : 0.0)
            << "turn " << turn << ", element " << own[0] << " " << own[1] << " " << own[2];
      });
    }
    world.barrier();
  }
}

TEST_P(Arrays, RefusesWhatCannotBe) {
  const int ranks = world.size();
  const auto make = [&](std::vector<Dimension> dimensions) {
    DistributedArray array(world, 8, std::move(dimensions), GetParam());
  };
  EXPECT_THROW(make({}), UserError);
  EXPECT_THROW(make({{.length = 8, .ranks = ranks + 1}}), UserError);
  EXPECT_THROW(make({{.length = 2 * ranks, .ranks = ranks, .halo = 3}}), UserError);
  EXPECT_THROW(
      make(
          {{.length = 9 * ranks, .ranks = ranks, .distribution = Distribution::cyclic, .halo = 1}}),
      UserError);
  DistributedArray array(world, 8, {{.length = 10 * ranks, .ranks = ranks}}, GetParam());
  std::vector<double> local(100);
  EXPECT_THROW((void)array.spread_move_to({{0}, {10 * ranks + 1}}, local.data()), UserError);
  EXPECT_THROW((void)array.spread_move_from({{-1}, {3}}, local.data()), UserError);
  EXPECT_THROW((void)array.spread_move_from({{0, 0}, {1, 1}}, local.data()), UserError);
  world.barrier();
}

INSTANTIATE_TEST_SUITE_P(Paths, Arrays, ::testing::Values(RemotePath::automatic, RemotePath::rma));

}  // namespace

HAKARU_MPI_TEST_MAIN()
