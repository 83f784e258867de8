#include <gtest/gtest.h>

#include "native/parallel/groups.hpp"
#include "native/parallel/test_main.hpp"
#include "probes/collectives/operations.hpp"
#include "probes/collectives/sampling.hpp"

namespace hakaru::probes::collectives {
namespace {

TEST(Operations, EveryAlgorithmGivesTheLibrarysResultAndDamageIsFound) {
  const auto world = parallel::Communicator::world();
  Operations operations(world, 4096);
  for (const std::string& collective : all_collectives()) {
    const auto algorithms = algorithms_of(collective);
    EXPECT_EQ(algorithms.front(), library);
    EXPECT_GE(algorithms.size(), 4u);
    for (const std::string& algorithm : algorithms)
      for (const std::int64_t bytes : {8, 1000, 4096}) {
        EXPECT_EQ(operations.wrong(collective, algorithm, bytes, false), 0)
            << collective << ' ' << algorithm << ' ' << bytes;
        EXPECT_EQ(operations.wrong(collective, algorithm, bytes, true), 1);
      }
  }
  EXPECT_ANY_THROW(operations.run("allreduce", "no such", 8));
}

TEST(Settings, AreThoseOfTheTable) {
  for (const std::string& collective : all_collectives())
    EXPECT_EQ(settings_of(collective).size() + 1, algorithms_of(collective).size()) << collective;
  EXPECT_EQ(settings_of("broadcast").front().openmpi, "coll_tuned_bcast_algorithm=6");
}

TEST(Sampling, TakesTurnsAndKeepsEverySample) {
  const auto world = parallel::Communicator::world();
  std::vector<int> kept(2);
  std::vector<Point> points;
  for (int i = 0; i < 2; ++i)
    points.push_back({[&world] { world.barrier(); },
                      [&kept, i](int, double seconds) {
                        EXPECT_GT(seconds, 0.0);
                        ++kept[i];
                      }});
  double done = 0;
  sample_in_turns(world, points, 3, 1e-5, [&done](double fraction) { done = fraction; });
  parallel::quiet_barrier(world);
  EXPECT_EQ(done, 1.0);
  EXPECT_EQ(kept, (world.rank() == 0 ? std::vector<int>{3, 3} : std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace hakaru::probes::collectives

HAKARU_MPI_TEST_MAIN()
