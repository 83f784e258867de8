#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "apps/lattice_qcd/heat_bath.hpp"
#include "apps/lattice_qcd/layout.hpp"
#include "apps/lattice_qcd/reference.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

TEST(Lattice, BoxesTileIt) {
  const Extents extents{4, 8, 4, 12};
  for (const int ranks : {1, 2, 3, 4, 6, 8, 12}) {
    const Division division = divide(extents, ranks, {});
    ASSERT_EQ(division.refusal, "");
    const Lattice lattice{extents, division.ranks};
    std::set<std::int64_t> sites;
    for (int rank = 0; rank < ranks; ++rank) {
      const Place place(lattice, rank);
      for (std::int64_t i = 0; i < product(place.local); ++i)
        sites.insert(place.global_index(point_of(i, place.local)));
      for (int d = 0; d < directions; ++d)
        EXPECT_EQ(Place(lattice, place.neighbour[d]).neighbour[opposite(d)], rank);
    }
    EXPECT_EQ(static_cast<std::int64_t>(sites.size()), lattice.sites());
  }
}

TEST(Lattice, OddBoxesAreRefused) {
  EXPECT_NE(divide({4, 4, 4, 6}, 2, {1, 1, 1, 2}).refusal, "");
  EXPECT_NE(divide({4, 4, 4, 7}, 1, {}).refusal, "");
  EXPECT_NE(divide({4, 4, 4, 8}, 5, {}).refusal, "");
}

TEST(VectorLayout, SlotsAreSitesAndNeighboursAreNeighbours) {
  const Lattice lattice{{8, 4, 8, 4}, {1, 1, 1, 1}};
  for (const int lanes : {1, 4, 8, 16}) {
    const VectorLayout layout(lattice, lanes);
    std::set<std::tuple<int, std::int64_t, int>> slots;
    for (std::int64_t i = 0; i < lattice.sites(); ++i) {
      const Extents x = point_of(i, lattice.extents);
      const Slot slot = layout.slot(x);
      EXPECT_EQ(layout.point(slot), x);
      slots.insert({slot.parity, slot.vector, slot.lane});
      for (int d = 0; d < directions; ++d) {
        const int axis = axis_of(d), n = lattice.extents[axis];
        Extents y = x;
        y[axis] = (x[axis] + (is_backward(d) ? n - 1 : 1)) % n;
        const std::uint32_t found = layout.neighbours(slot.parity)[slot.vector * directions + d];
        const Slot other = layout.slot(y);
        EXPECT_EQ(found & VectorLayout::index_mask, other.vector);
        const int bit = found & VectorLayout::exchanged ? 1 << layout.lane_bit(axis) : 0;
        EXPECT_EQ(slot.lane ^ bit, other.lane);
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(slots.size()), lattice.sites());
  }
}

TEST(Gamma, AnticommuteAndMakeG5) {
  for (int a = 0; a < axes; ++a)
    for (int b = 0; b < axes; ++b) {
      const Spinor any{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 1, 1}}};
      Spinor sum = multiply(gamma(a), multiply(gamma(b), any));
      add(sum, 1.0, multiply(gamma(b), multiply(gamma(a), any)));
      add(sum, a == b ? -2.0 : 0.0, any);
      EXPECT_EQ(largest_difference(sum, Spinor()), 0.0);
    }
  const Gamma g5 = gamma(4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(g5[i][i], Complex(i < 2 ? -1.0 : 1.0));
}

TEST(HeatBath, TraceHasTheMeanOfItsDensity) {
  // <a> = I_2(alpha) / I_1(alpha)
  for (const double alpha : {0.7, 3.0, 12.0}) {
    Random random{static_cast<std::uint64_t>(10 * alpha)};
    double sum = 0.0;
    const int samples = 200'000;
    for (int i = 0; i < samples; ++i) sum += sample_trace(alpha, random);
    const double exact = std::cyl_bessel_i(2.0, alpha) / std::cyl_bessel_i(1.0, alpha);
    EXPECT_NEAR(sum / samples, exact, 5.0 * 0.5 / std::sqrt(samples)) << alpha;
  }
}

TEST(HeatBath, LinksStayInSu3) {
  const Matrix link = random_su3(Random{1}), around = random_su3(Random{2});
  EXPECT_LT(distance_from_su3(link), 1e-14);
  EXPECT_LT(distance_from_su3(heat_bath_link(link, around, 6.0, Random{3})), 1e-14);
  const Matrix turned = over_relaxed_link(link, around);
  EXPECT_LT(distance_from_su3(turned), 1e-14);
  EXPECT_NEAR(trace_of_product(turned, around), trace_of_product(link, around), 1e-14);
  Matrix spoiled = link;
  spoiled.e[1][2] += 1e-6;
  EXPECT_GT(distance_from_su3(spoiled), 1e-7);
  for (int i = 0; i < 3; ++i) {
    spoiled = link;
    spoiled.e[i][1] = std::nan("");
    EXPECT_FALSE(distance_from_su3(spoiled) <= 1e300);
  }
}

}  // namespace
}  // namespace hakaru::apps::lattice_qcd
