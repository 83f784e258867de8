#include <gtest/gtest.h>

#include <cmath>

#include "apps/tomcatv/reference.hpp"
#include "apps/tomcatv/schedule.hpp"
#include "apps/tomcatv/strip.hpp"
#include "native/schedule/stream_writer.hpp"

namespace hakaru::apps::tomcatv {
namespace {

// A mesh on one rank without exchange.
struct Mesh {
  explicit Mesh(const Plan& plan)
      : x(plan.n * Columns{plan.n, 1}.pitch()), y(x.size()), strip(plan, 0, x.data(), y.data()) {
    strip.reset();
    for (std::int64_t i = 0; i < plan.iterations; ++i) {
      strip.residual();
      strip.solve();
    }
  }
  std::vector<double> x, y;
  Strip strip;
};

TEST(Strip, AgreesWithTheIndependentCode) {
  for (const std::int64_t n : {3, 4, 5, 20, 41}) {
    const Plan plan{n, 30, Style::direct, 1, Map::sector};
    const Mesh mesh(plan);
    const Reference reference = reference_mesh(plan.map, n, plan.iterations);
    EXPECT_LT(mesh.strip.distance(
                  [&](std::int64_t i, std::int64_t j) { return reference.mesh[i + n * j]; }),
              1e-13);
    EXPECT_NEAR(mesh.strip.maxima()[0], reference.residual_x, 1e-15);
    EXPECT_NEAR(mesh.strip.maxima()[1], reference.residual_y, 1e-15);
  }
}

TEST(Strip, TheIterationMovesTheMesh) {
  const auto moved = [](std::int64_t iterations) {
    return Mesh({17, iterations, Style::direct, 1, Map::sector})
        .strip.distance([](std::int64_t i, std::int64_t j) {
          return place(Map::sector, static_cast<double>(i) / 16.0, static_cast<double>(j) / 16.0);
        });
  };
  EXPECT_LT(moved(500), 0.1 * moved(0));
}

TEST(Columns, AreAllThereOnce) {
  for (const int ranks : {1, 2, 3, 7, 64}) {
    const Columns columns{257, ranks};
    std::int64_t all = 0, inner = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      all += columns.count(rank);
      inner += columns.inner(rank);
      EXPECT_LE(columns.count(rank) + 2, columns.pitch());
    }
    EXPECT_EQ(all, 257);
    EXPECT_EQ(inner, 255);
  }
}

// Hayashi et al. 1995, Table 5, row TOMCATV: exact in every column; the 394 puts are the mean,
// because the ranks at the ends have one neighbour.
TEST(Schedule, OfThePublishedStyleIsTable5) {
  const Plan plan{257, 100, Style::published, 64, Map::sector};
  schedule::Schedule schedule;
  schedule.ranks = plan.ranks;
  for (const char* name :
       {phase::reset, phase::residual, phase::maxima, phase::solve, phase::halo, phase::barrier})
    schedule.phases.push_back({name, "compute"});
  double puts = 0.0, bytes = 0.0, strided = 0.0;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    schedule::StreamWriter writer(schedule, rank);
    rank_schedule(plan)(writer);
    writer.finish();
    int reductions = 0, barriers = 0;
    schedule::Cursor cursor;
    while (const auto* operation = cursor.next(schedule.stream(rank))) {
      if (operation->kind == schedule::Kind::put) {
        puts += 1.0;
        bytes += static_cast<double>(operation->bytes);
        strided += schedule.lists[operation->payload][1] == 257;
      }
      EXPECT_NE(operation->kind, schedule::Kind::get);
      if (operation->kind != schedule::Kind::collective) continue;
      barriers += operation->collective == schedule::Collective::barrier;
      if (operation->collective == schedule::Collective::allreduce) {
        ++reductions;
        EXPECT_EQ(operation->bytes, 8u);
      }
    }
    EXPECT_EQ(reductions, 200);
    EXPECT_EQ(barriers, 600);
  }
  EXPECT_EQ(std::round(puts / plan.ranks), 394.0);
  EXPECT_EQ(puts / plan.ranks, 393.75);
  EXPECT_EQ(strided, puts);
  EXPECT_EQ(bytes / puts, 2056.0);
}

}  // namespace
}  // namespace hakaru::apps::tomcatv
