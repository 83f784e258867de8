#include <gtest/gtest.h>

#include <cmath>

#include "apps/heat/plate.hpp"

namespace hakaru::apps::heat {
namespace {

TEST(Place, RectanglesTileThePlate) {
  for (const int ranks : {1, 2, 3, 4, 6, 12, 13}) {
    std::int64_t cells = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Place place(17, rank, ranks);
      EXPECT_EQ(place.columns * place.rows, ranks);
      EXPECT_GE(place.columns, place.rows);
      cells += place.width * place.height;
      for (const Side side : sides) {
        if (place.neighbour[side] < 0) continue;
        const Place other(17, place.neighbour[side], ranks);
        EXPECT_EQ(other.neighbour[opposite(side)], rank);
        EXPECT_EQ(other.edge(opposite(side)), place.edge(side));
      }
    }
    EXPECT_EQ(cells, 17 * 17);
  }
}

TEST(Plate, EdgesOfOneAreHalosOfTheOther) {
  const Place left(6, 0, 2), right(6, 1, 2);
  Plate a(left), b(right);
  std::vector<double> line(left.edge(east));
  b.read_edge(west, line.data());
  a.write_halo(east, line.data());
  for (std::int64_t y = 0; y < left.height; ++y) EXPECT_EQ(a.at(left.width, y), b.at(0, y));
}

TEST(Plate, ModeDecaysAsTheDifferenceEquationSays) {
  const Place place(31, 0, 1);
  Plate plate(place);
  for (int step = 0; step < 50; ++step) {
    plate.diffuse(0, place.width, 0, place.height);
    plate.finish_step();
  }
  EXPECT_LT(plate.distance_from_exact(50), 1e-13);
  EXPECT_GT(plate.distance_from_exact(49), 1e-4);  // a step too few is seen
}

TEST(Plate, StaysInNormalNumbersForAllItsSteps) {
  const Place place(6, 0, 1);
  Plate plate(place);
  const std::int64_t steps = most_steps(6);
  EXPECT_NEAR(height_after(6, steps), 1e-280, 1e-281);
  for (std::int64_t step = 0; step < steps; ++step) {
    plate.diffuse(0, place.width, 0, place.height);
    plate.finish_step();
  }
  for (std::int64_t y = 0; y < place.height; ++y)
    for (std::int64_t x = 0; x < place.width; ++x) EXPECT_TRUE(std::isnormal(plate.at(x, y)));
  EXPECT_LT(plate.distance_from_exact(steps), 1e-12 * height_after(6, steps));
}

}  // namespace
}  // namespace hakaru::apps::heat
