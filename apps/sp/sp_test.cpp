#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "apps/sp/bundle.hpp"
#include "apps/sp/schedule.hpp"
#include "apps/sp/solver.hpp"
#include "native/schedule/stream_writer.hpp"

namespace hakaru::apps::sp {
namespace {

// A state at rest but for one velocity, the same everywhere but for small waves.
std::vector<double> line_of_states(std::int64_t n) {
  std::vector<double> state(components * n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double wave = std::sin(0.7 * static_cast<double>(i));
    const State point = {2.0 + 0.1 * wave, 0.4 - 0.2 * wave, 0.3 + 0.1 * wave, 0.5, 5.0 + wave};
    std::copy(point.begin(), point.end(), state.begin() + components * i);
  }
  return state;
}

// The factor of a direction solved by a Bundle, put back into (E (I + dt A) E^-1) written as plain
// sums: for z, whose eigenvectors are left for the components, after x and y lines of one point.
TEST(Bundle, LinesAreIndependentOfTheirNeighbours) {
  constexpr std::int64_t n = 20;
  const std::vector<double> state = line_of_states(n);
  std::vector<double> both(2 * components * n), update(2 * components * n, 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    for (int m = 0; m < components; ++m) {
      both[components * i + m] = state[components * i + m];
      both[components * (n + i) + m] = state[components * (n - 1 - i) + m];
      if (i > 0 && i < n - 1) update[components * i + m] = 0.1 * (m + 1) + 0.01 * i;
    }
  for (const Axis axis : {along_x, along_y, along_z}) {
    std::vector<double> alone = update, together = update;
    for (std::int64_t i = 0; i < components * n; ++i) together[components * n + i] = update[i];
    Bundle bundle(n, 0.01);
    const Lines one{0, 1, n, 1}, two{0, 1, n, 2};
    bundle.read_state(both.data(), one);
    bundle.derive_primitives();
    bundle.solve(axis, alone.data(), nullptr, one);
    bundle.read_state(both.data(), two);
    bundle.derive_primitives();
    bundle.solve(axis, together.data(), nullptr, two);
    for (std::int64_t i = 0; i < components * n; ++i) EXPECT_EQ(alone[i], together[i]);
    EXPECT_NE(together[components * (n + 5)], alone[components * 5]);
  }
}

// The first component after x is the solution of the shear system with eigenvalue u, which this
// multiplies back.
TEST(Bundle, SolvesThePentadiagonalSystem) {
  constexpr std::int64_t n = 24;
  const double dt = 0.01, h = 1.0 / (n - 1);
  const std::vector<double> state = line_of_states(n);
  std::vector<double> update(components * n, 0.0), given;
  for (std::int64_t i = 1; i < n - 1; ++i)
    for (int m = 0; m < components; ++m) update[components * i + m] = std::cos(0.3 * i + m);
  given = update;
  Bundle bundle(n, dt);
  const Lines lines{0, 1, n, 1};
  bundle.read_state(state.data(), lines);
  bundle.derive_primitives();
  bundle.solve(along_x, update.data(), nullptr, lines);
  const auto at = [&](const std::vector<double>& array, std::int64_t i, int m) {
    return array[components * i + m];
  };
  const auto velocity = [&](std::int64_t i) { return at(state, i, 1) / at(state, i, 0); };
  const auto diffused = [&](std::int64_t i) {
    return diffusion[0] + c1c5 * c3c4 / at(state, i, 0);
  };
  // out = -second eigenvector component; in = -(w rho' - (rho w)') / rho.
  const auto solution = [&](std::int64_t i) {
    return i < 1 || i > n - 2 ? 0.0 : -at(update, i, 0);
  };
  for (std::int64_t i = 1; i < n - 1; ++i) {
    const double w = at(state, i, 3) / at(state, i, 0);
    const double right = -(w * at(given, i, 0) - at(given, i, 3)) / at(state, i, 0);
    const double mirror = i == 1 || i == n - 2 ? -1.0 : 0.0;
    double left = solution(i);
    left +=
        dt / (2.0 * h) * (velocity(i + 1) * solution(i + 1) - velocity(i - 1) * solution(i - 1));
    left -= dt / (h * h) *
            (diffused(i + 1) * solution(i + 1) - 2.0 * diffused(i) * solution(i) +
             diffused(i - 1) * solution(i - 1));
    left += dt * third_damping *
            ((6.0 + mirror) * solution(i) - 4.0 * (solution(i + 1) + solution(i - 1)) +
             solution(i + 2) + solution(i - 2));
    EXPECT_NEAR(left, right, 1e-12);
  }
}

TEST(Exact, BlendedStartIsExactOnTheBoundaryOnly) {
  EXPECT_EQ(initial(0.0, 0.3, 0.7), exact(0.0, 0.3, 0.7));
  EXPECT_EQ(initial(0.2, 0.3, 1.0), exact(0.2, 0.3, 1.0));
  EXPECT_NE(initial(0.2, 0.3, 0.7), exact(0.2, 0.3, 0.7));
}

schedule::Schedule schedule_of(const Plan& plan) {
  schedule::Schedule schedule;
  schedule.ranks = plan.ranks;
  for (const char* name : {phase::reset, phase::primitives, phase::differences, phase::solve,
                           phase::add, phase::move, phase::norm, phase::barrier})
    schedule.phases.push_back({name, "compute"});
  for (int rank = 0; rank < plan.ranks; ++rank) {
    schedule::StreamWriter writer(schedule, rank);
    rank_schedule(plan)(writer);
    writer.finish();
  }
  return schedule;
}

// Hayashi et al. 1995, Table 5, row SP: exact but for the one send, which is inside the reduction
// of the vector (a tree of 63 messages on 64 PEs).
TEST(Schedule, OfThePublishedStyleIsTable5) {
  const auto schedule = schedule_of({64, 10, 0.0015, Style::published, 64});
  for (const int rank : {0, 1, 63}) {
    int puts = 0, strided = 0, barriers = 0, vectors = 0, others = 0;
    double bytes = 0.0;
    schedule::Cursor cursor;
    while (const auto* operation = cursor.next(schedule.stream(rank))) {
      const bool collective = operation->kind == schedule::Kind::collective;
      if (operation->kind == schedule::Kind::put) {
        ++puts;
        bytes += static_cast<double>(operation->bytes);
        strided += schedule.lists[operation->payload][1] == 64;
      } else if (collective && operation->collective == schedule::Collective::barrier) {
        ++barriers;
      } else if (collective && operation->collective == schedule::Collective::allreduce) {
        ++vectors;
        EXPECT_EQ(operation->bytes, 40u);
      } else if (operation->kind == schedule::Kind::get ||
                 operation->kind == schedule::Kind::send) {
        ++others;
      }
    }
    EXPECT_EQ(puts, 11520);
    EXPECT_EQ(strided, puts);
    EXPECT_EQ(std::round(10.0 * bytes / puts), 14222.0);  // mean 1422.2 B
    EXPECT_EQ(bytes, 16'384'000.0);
    EXPECT_EQ(barriers, 442);
    EXPECT_EQ(vectors, 1);
    EXPECT_EQ(others, 0);
  }
}

TEST(Schedule, OfTheDirectStyleMovesFourArrays) {
  const auto schedule = schedule_of({64, 10, 0.0015, Style::direct, 64});
  double bytes = 0.0;
  schedule::Cursor cursor;
  while (const auto* operation = cursor.next(schedule.stream(5)))
    if (operation->kind == schedule::Kind::put) bytes += static_cast<double>(operation->bytes);
  EXPECT_EQ(bytes, 10 * 4 * 5 * 32768.0);
}

}  // namespace
}  // namespace hakaru::apps::sp
