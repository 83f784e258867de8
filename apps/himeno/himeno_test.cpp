#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/himeno/block.hpp"
#include "apps/himeno/decomposition.hpp"
#include "apps/himeno/exact.hpp"
#include "apps/himeno/reference.hpp"
#include "native/harness/program.hpp"
#include "native/harness/work.hpp"

namespace hakaru::apps::himeno {
namespace {

template <typename Real>
class Kernel : public ::testing::Test {
 protected:
  static constexpr double roundoff = std::is_same_v<Real, float> ? 6e-8 : 1.2e-16;

  static void expect_reference(const Grid& grid, int threads, bool streaming) {
    constexpr int iterations = 5;
    const Problem problem{grid, Kind::rough};
    const auto reference = reference_solution<Real>(problem, iterations);
    omp_set_num_threads(threads);
    Block<Real> block(problem, Decomposition(grid, {1, 1, 1}).region(0));
    double gosa = 0.0;
    for (int i = 0; i < iterations; ++i) gosa = block.iterate(streaming);
    const double tolerance = 40.0 * iterations * roundoff;
    EXPECT_NEAR(gosa, reference.gosa, tolerance * reference.gosa);
    const Shape& shape = block.shape();
    for (std::int64_t z = 0; z < grid.z; ++z)
      for (std::int64_t y = 0; y < grid.y; ++y)
        for (std::int64_t x = 0; x < grid.x; ++x)
          ASSERT_NEAR(block.pressure()[shape.index(x, y, z)],
                      reference.pressure[(z * grid.y + y) * grid.x + x], tolerance)
              << x << " " << y << " " << z;
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Kernel, Precisions);

TYPED_TEST(Kernel, AgreesWithThePlainLoopAtOddSizes) {
  for (const Grid grid :
       {Grid{3, 3, 3}, Grid{17, 5, 4}, Grid{4, 16, 9}, Grid{33, 7, 6}, Grid{16, 16, 16}})
    for (int threads : {1, 2, 3})
      for (bool streaming : {false, true}) this->expect_reference(grid, threads, streaming);
}

TYPED_TEST(Kernel, ResetRestoresTheInitialStateAfterOddAndEvenIterations) {
  const Problem problem{{20, 9, 8}, Kind::rough};
  Block<TypeParam> block(problem, Decomposition(problem.grid, {1, 1, 1}).region(0));
  const double first = block.iterate(false);
  block.reset();
  EXPECT_EQ(block.iterate(false), first);
  block.iterate(false);
  block.reset();
  EXPECT_EQ(block.iterate(false), first);
}

TYPED_TEST(Kernel, PressureDoesNotDependOnThreads) {
  const Problem problem{{40, 11, 13}, Kind::rough};
  const Region whole = Decomposition(problem.grid, {1, 1, 1}).region(0);
  omp_set_num_threads(1);
  Block<TypeParam> one(problem, whole);
  for (int i = 0; i < 4; ++i) one.iterate(false);
  omp_set_num_threads(3);
  Block<TypeParam> three(problem, whole);
  for (int i = 0; i < 4; ++i) three.iterate(true);
  const std::int64_t words = one.shape().pressure_words();
  EXPECT_TRUE(std::equal(one.pressure(), one.pressure() + words, three.pressure()));
}

TEST(Exact, AgreesWithThePlainLoopAndTheTable) {
  const Problem problem{{17, 10, 13}, Kind::standard};
  for (std::int64_t iterations : {1, 2, 9, 40}) {
    const auto reference = reference_solution<double>(problem, iterations);
    const Exact exact = exact_share(problem.grid, iterations, 0, 1);
    EXPECT_NEAR(exact.gosa.value(), reference.gosa, 1e-12 * reference.gosa);
    double sum = 0.0;
    for (std::int64_t z = 1; z < 12; ++z)
      for (std::int64_t y = 1; y < 9; ++y)
        for (std::int64_t x = 1; x < 16; ++x) sum += reference.pressure[(z * 10 + y) * 17 + x];
    EXPECT_NEAR(exact.pressure_sum.value(), sum, 1e-12 * sum);
  }
  for (std::int64_t iterations : {1, 3, 10, 100}) {
    EXPECT_NEAR(exact_share({64, 32, 32}, iterations, 0, 1).gosa.value() /
                    *tabulated_gosa("XS", iterations),
                1.0, 1e-9);
    EXPECT_NEAR(exact_share({128, 64, 64}, iterations, 0, 1).gosa.value() /
                    *tabulated_gosa("S", iterations),
                1.0, 1e-9);
    EXPECT_NEAR(exact_share({256, 128, 128}, iterations, 0, 1).gosa.value() /
                    *tabulated_gosa("M", iterations),
                1.0, 1e-9);
  }
  EXPECT_FALSE(tabulated_gosa("S", 4));
}

TEST(Exact, SharesAddUp) {
  const Grid grid{23, 14, 19};
  const Exact whole = exact_share(grid, 7, 0, 1);
  Exact sum;
  for (int part = 0; part < 5; ++part) {
    const Exact share = exact_share(grid, 7, part, 5);
    sum.gosa.merge(share.gosa);
    sum.pressure_sum.merge(share.pressure_sum);
  }
  EXPECT_EQ(sum.gosa.value(), whole.gosa.value());
  EXPECT_EQ(sum.pressure_sum.value(), whole.pressure_sum.value());
}

TEST(Decomposition, CoversEachInteriorPointOnceAndNeighboursAgree) {
  const Grid grid{13, 9, 12};
  const Decomposition decomposition(grid, {3, 2, 4});
  std::vector<int> owners(13 * 9 * 12, 0);
  double messages = 0.0;
  for (int rank = 0; rank < decomposition.size(); ++rank) {
    const Region region = decomposition.region(rank);
    for (std::int64_t z = region.z.first; z < region.z.first + region.z.count; ++z)
      for (std::int64_t y = region.y.first; y < region.y.first + region.y.count; ++y)
        for (std::int64_t x = region.x.first; x < region.x.first + region.x.count; ++x)
          ++owners[(z * 9 + y) * 13 + x];
    for (int axis = 0; axis < 3; ++axis) {
      messages += (region.below[axis] >= 0) + (region.above[axis] >= 0);
      if (region.above[axis] < 0) continue;
      EXPECT_EQ(decomposition.region(region.above[axis]).below[axis], rank);
    }
  }
  // Both ways across 2, 1 and 3 cuts along x, y and z.
  EXPECT_EQ(messages, 2.0 * (2 * 8 + 1 * 12 + 3 * 6));
  for (int z = 0; z < 12; ++z)
    for (int y = 0; y < 9; ++y)
      for (int x = 0; x < 13; ++x) {
        const bool interior = x > 0 && x < 12 && y > 0 && y < 8 && z > 0 && z < 11;
        EXPECT_EQ(owners[(z * 9 + y) * 13 + x], interior ? 1 : 0);
      }
}

TEST(Decomposition, FollowsTheWishes) {
  const Grid grid{128, 64, 64};
  EXPECT_EQ(choose_ranks(grid, 4, {1, {0, 0, 0}}).ranks, (Ranks{1, 1, 4}));
  EXPECT_EQ(choose_ranks(grid, 4, {2, {0, 0, 0}}).ranks, (Ranks{1, 2, 2}));
  EXPECT_EQ(choose_ranks(grid, 8, {3, {0, 0, 0}}).ranks, (Ranks{2, 2, 2}));
  EXPECT_EQ(choose_ranks(grid, 6, {0, {0, 3, 0}}).ranks, (Ranks{1, 3, 2}));
  EXPECT_EQ(choose_ranks(grid, 2, {0, {2, 0, 0}}).ranks, (Ranks{2, 1, 1}));
  EXPECT_EQ(choose_ranks({10, 4, 4}, 8, {0, {0, 0, 0}}).ranks, (Ranks{4, 1, 2}));
  for (const Wish& impossible : {Wish{1, {0, 0, 0}}, Wish{0, {0, 3, 0}}, Wish{1, {2, 0, 0}}}) {
    const Choice choice = choose_ranks({10, 6, 6}, 8, impossible);
    EXPECT_EQ(choice.ranks[0], impossible.ranks[0] == 2 ? 2 : 0);
    EXPECT_EQ(choice.refusal.empty(), impossible.ranks[0] == 2);
  }
  EXPECT_FALSE(choose_ranks({4, 4, 4}, 16, {}).refusal.empty());
}

TEST(Work, CountsWhatTheKernelMovesAndTheFacesHold) {
  const auto program = harness::make_program();
  const auto description = program->describe();
  const auto with_stores = [&](const char* stores) {
    base::Parameters parameters(description);
    for (const char* word : {"size=S", "iterations=10", stores, "decomposition=1d"})
      parameters.assign(word);
    return parameters;
  };
  const base::Parameters parameters = with_stores("stores=ordinary");
  const auto counted = [&](const base::Parameters& with, int ranks) {
    return harness::work_of(*program, description, with, {ranks, 1});
  };
  const base::Work work = counted(parameters, 2);
  EXPECT_NEAR(work.size, std::cbrt(126.0 * 62 * 62), 1e-12);
  EXPECT_EQ(work.phases[1].flops, 34.0 * 126 * 62 * 62 * 10);
  EXPECT_EQ(work.phases[1].bytes, 14.0 * 4 * 128 * 62 * 62 * 10);
  EXPECT_EQ(work.phases[1].bytes_write_allocate, 15.0 * 4 * 128 * 62 * 62 * 10);
  EXPECT_EQ(work.phases[2].messages, 2.0 * 10);
  EXPECT_EQ(work.phases[2].message_bytes, 2.0 * 10 * 4 * 128 * 64);
  EXPECT_EQ(work.phases[3].messages, 2.0 * 10);
  EXPECT_EQ(counted(with_stores("stores=streaming"), 2).phases[1].bytes_write_allocate,
            14.0 * 4 * 128 * 62 * 62 * 10);
  EXPECT_EQ(counted(parameters, 1).phases[3].messages, 0.0);
}

TEST(Refusal, NamesTheReason) {
  const auto program = harness::make_program();
  const auto description = program->describe();
  auto refusal = [&](std::initializer_list<const char*> words, int ranks) {
    base::Parameters parameters(description);
    for (const char* word : words) parameters.assign(word);
    return program->refuse(parameters, {ranks, 1});
  };
  EXPECT_EQ(refusal({}, 1), "");
  EXPECT_EQ(refusal({"size=custom", "nx=40"}, 4), "");
  EXPECT_NE(refusal({"size=custom"}, 1).find("at least 3"), std::string::npos);
  EXPECT_NE(refusal({"nx=40"}, 1).find("size=custom only"), std::string::npos);
  EXPECT_NE(refusal({"size=XS", "decomposition=1d"}, 31).find("cannot divide"), std::string::npos);
  EXPECT_NE(refusal({"ranks_z=3"}, 4).find("cannot divide"), std::string::npos);
}

}  // namespace
}  // namespace hakaru::apps::himeno
