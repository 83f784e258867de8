#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <set>

#include "apps/ft/reference.hpp"
#include "apps/ft/route.hpp"
#include "apps/ft/schedule.hpp"
#include "apps/ft/steps.hpp"
#include "apps/ft/transform.hpp"
#include "native/base/nas_random.hpp"
#include "native/schedule/stream_writer.hpp"

namespace hakaru::apps::ft {
namespace {

constexpr Grid class_a{{256, 256, 128}};

TEST(Reference, HasThePublishedChecksums) {
  const Grid grid{{64, 64, 64}};
  const auto published = published_checksums(grid, 6);
  for (const std::int64_t t : {1, 6}) {
    const Complex ours = checksum_of(grid, reference_field(grid, t));
    EXPECT_NEAR(ours.real(), published[t - 1].real(), 1e-9);
    EXPECT_NEAR(ours.imag(), published[t - 1].imag(), 1e-9);
  }
}

TEST(Transforms, AreTheSums) {
  const Grid grid{{5, 6, 9}};
  const Slab slab = divided(grid, along_z, 1);
  const Transforms transforms(grid);
  std::vector<Complex> field(slab.elements(0)), given;
  base::nas::Random random(7);
  for (Complex& value : field) value = {random.next(), random.next()};
  for (const Axis axis : {along_x, along_y, along_z})
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      given = field;
      transforms(slab, 0, axis, direction, field.data());
      const std::int64_t n = grid.n[axis], step = slab.step(0, axis);
      const double sign = direction == Direction::forward ? -1.0 : 1.0;
      for (std::int64_t k = 0; k < n; ++k) {
        Complex sum;
        for (std::int64_t j = 0; j < n; ++j)
          sum += given[j * step] * std::polar(1.0, sign * 2.0 * std::numbers::pi * j * k / n);
        EXPECT_LT(std::abs(field[k * step] - sum), 1e-12 * n * 100);
      }
    }
}

struct Counts {
  std::int64_t puts = 0, gets = 0, strided = 0, reductions = 0, barriers = 0, bytes = 0,
               reduced_bytes = 0;
};

Counts counts_of(const schedule::Schedule& schedule, int rank) {
  Counts counts;
  schedule::Cursor cursor;
  while (const auto* operation = cursor.next(schedule.stream(rank))) {
    const bool put = operation->kind == schedule::Kind::put;
    if (put || operation->kind == schedule::Kind::get) {
      (put ? counts.puts : counts.gets) += 1;
      counts.bytes += static_cast<std::int64_t>(operation->bytes);
      counts.strided += operation->payload >= 0 && schedule.lists[operation->payload][1] > 0;
    }
    if (operation->kind != schedule::Kind::collective) continue;
    counts.barriers += operation->collective == schedule::Collective::barrier;
    if (operation->collective == schedule::Collective::allreduce) {
      counts.reductions += 1;
      counts.reduced_bytes += static_cast<std::int64_t>(operation->bytes);
    }
  }
  return counts;
}

schedule::Schedule schedule_of(const Plan& plan) {
  schedule::Schedule schedule;
  schedule.ranks = plan.ranks;
  for (const char* name : {phase::set_up, phase::transform, phase::evolve, phase::transposition,
                           phase::checksum, phase::barrier})
    schedule.phases.push_back({name, "compute"});
  for (int rank = 0; rank < plan.ranks; ++rank) {
    schedule::StreamWriter writer(schedule, rank);
    rank_schedule(plan)(writer);
    writer.finish();
  }
  return schedule;
}

// Hayashi et al. 1995, Table 5, row FT: exact in every column.
TEST(Schedule, OfThePublishedStyleIsTable5) {
  const auto schedule = schedule_of({class_a, 6, Style::published, Method::put, 128});
  for (const int rank : {0, 1, 64, 127}) {
    const Counts counts = counts_of(schedule, rank);
    EXPECT_EQ(counts.puts, 17408);
    EXPECT_EQ(counts.gets, 512);
    EXPECT_EQ(counts.strided, counts.puts + counts.gets);
    EXPECT_EQ(10 * counts.bytes, 16384 * (counts.puts + counts.gets));  // mean 1638.4 B
    EXPECT_EQ(counts.reductions, 48);
    EXPECT_EQ(counts.reduced_bytes, 48 * 8);  // on scalars
    EXPECT_EQ(counts.barriers, 93);
  }
  EXPECT_EQ(schedule.streams.size(), 1u);  // all ranks do the same
}

TEST(Schedule, OfTheDirectStyleMovesAQuarter) {
  const auto schedule = schedule_of({class_a, 6, Style::direct, Method::put, 128});
  const Counts counts = counts_of(schedule, 5);
  EXPECT_EQ(counts.puts, 128 + 6 * 2 * 128);  // a plane of z there, two planes of y back
  EXPECT_EQ(counts.bytes, 7 * (std::int64_t{1} << 20));
  EXPECT_EQ(counts.reductions, 6);
  EXPECT_EQ(counts.barriers, 7);
}

}  // namespace
}  // namespace hakaru::apps::ft
