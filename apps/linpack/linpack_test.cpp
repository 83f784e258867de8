#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "apps/linpack/kernels.hpp"
#include "apps/linpack/leaf.hpp"
#include "apps/linpack/matrix.hpp"
#include "apps/linpack/problem.hpp"
#include "apps/linpack/reference.hpp"
#include "apps/linpack/route.hpp"
#include "apps/linpack/rows.hpp"
#include "apps/linpack/triangle.hpp"

namespace hakaru::apps::linpack {
namespace {

TEST(Blocks, EveryIndexHasOneOwnerAndComesBack) {
  for (const int places : {1, 2, 3, 5})
    for (const std::int64_t block : {1, 4, 7, 40}) {
      const std::int64_t length = 33;
      std::int64_t sum = 0;
      std::set<std::int64_t> seen;
      for (int place = 0; place < places; ++place) {
        const std::int64_t count = local_count(length, block, place, places);
        sum += count;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t global = global_index(i, block, place, places);
          seen.insert(global);
          EXPECT_EQ(local_count(global, block, place, places), i);
        }
      }
      EXPECT_EQ(sum, length);
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), length);
      EXPECT_EQ(*seen.rbegin(), length - 1);
    }
}

TEST(Grid, IsWhatIsAskedForOrNone) {
  EXPECT_EQ(squarest(12).rows, 3);
  EXPECT_EQ(squarest(7).rows, 1);
  EXPECT_EQ(grid_of(0, 3, 12).rows, 4);
  EXPECT_EQ(grid_of(4, 0, 12).columns, 3);
  EXPECT_EQ(grid_of(5, 0, 12).rows, 0);
  EXPECT_EQ(grid_of(3, 3, 12).rows, 0);
  EXPECT_EQ(grid_of(24, 0, 12).rows, 0);
}

TEST(Problem, CountsOperationsAsHplDoes) {
  Problem problem;
  problem.n = 1000, problem.nb = 100;
  EXPECT_DOUBLE_EQ(problem.operations(), 2.0 / 3.0 * 1e9 + 1.5e6);
  problem.panels = 10;
  EXPECT_DOUBLE_EQ(problem.operations(), 2.0 / 3.0 * 1e9 + 1.5e6);
  problem.panels = 5;
  EXPECT_NEAR(problem.operations(), 2.0 / 3.0 * (1e9 - 1.25e8) + 1.5 * (1e6 - 2.5e5), 1.0);
}

TEST(Matrix, DoesNotDependOnItsDivision) {
  Problem problem;
  problem.n = 23, problem.nb = 3, problem.grid = {2, 3};
  for (int rank = 0; rank < 6; ++rank) {
    const int row = problem.grid.row_of(rank), column = problem.grid.column_of(rank);
    LocalMatrix part(problem, row, column);
    part.generate();
    for (std::int64_t i = 0; i < part.rows(); ++i)
      for (std::int64_t j = 0; j < part.columns(); ++j) {
        double expected;
        elements(1, global_index(i, 3, row, 2), global_index(j, 3, column, 3), 1, &expected);
        EXPECT_EQ(part.row(i)[j], expected);
        EXPECT_LT(std::abs(expected), 0.5);
      }
  }
}

// From place 0 every other place gets it once, from one that has it and names it.
TEST(Route, EveryPlaceGetsThePanelOnceFromItsParent) {
  for (const Named& one : routes) {
    if (in_pieces(one.route)) continue;
    for (int places = 1; places <= 17; ++places) {
      std::map<int, int> parents;
      for (int place = 0; place < places; ++place)
        for (const int child : stop_of(one.route, place, places).children)
          EXPECT_TRUE(parents.emplace(child, place).second) << one.name << places;
      EXPECT_EQ(static_cast<int>(parents.size()), places - 1) << one.name << places;
      for (const auto& [place, parent] : parents) {
        const Stop stop = stop_of(one.route, place, places);
        EXPECT_EQ(stop.parent, parent);
        EXPECT_EQ(stop.depth, stop_of(one.route, parent, places).depth + 1) << one.name;
        EXPECT_LE(stop.depth, stop.deepest);
      }
    }
  }
}

TEST(Route, PiecesThatAreSpreadAreThoseOfTheirMembers) {
  for (const Route route : {Route::spread, Route::modified_spread})
    for (int places = 1; places <= 17; ++places)
      for (int place = 0; place < places; ++place) {
        const Spread spread = spread_of(route, place, places);
        if (spread.self < 0) continue;
        EXPECT_EQ(place_of_member(route, spread.self), place);
        if (spread.self > 0) {
          EXPECT_EQ(spread.own.begin, spread.self);
        }
        for (std::size_t i = 0; i < spread.children.size(); ++i) {
          const Spread child = spread_of(route, place_of_member(route, spread.children[i]), places);
          EXPECT_EQ(child.parent, spread.self);
          EXPECT_EQ(child.own.begin, spread.given[i].begin);
          EXPECT_EQ(child.own.end, spread.given[i].end);
        }
      }
}

struct Held {
  std::set<std::int64_t> upper, displaced;
};

// Rows that a place has after all rounds, for slices that are never empty.
std::vector<Held> after_all_rounds(Swap swap, const RowMoves& moves, int places) {
  std::vector<Held> held(static_cast<std::size_t>(places));
  for (std::size_t i = 0; i < moves.upper.size(); ++i)
    held[moves.upper[i].place].upper.insert(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < moves.displaced.size(); ++i)
    held[0].displaced.insert(static_cast<std::int64_t>(i));
  const auto rounds = [&](int place) { return rounds_of(swap, place, places, 100); };
  for (std::size_t number = 0; number < rounds(0).size(); ++number) {
    std::vector<Held> before = held;
    for (int place = 0; place < places; ++place) {
      const Round round = rounds(place)[number];
      if (round.to < 0) continue;
      EXPECT_EQ(rounds(round.to)[number].from, place);
      EXPECT_EQ(rounds(round.to)[number].in.begin, round.out.begin);
      EXPECT_EQ(rounds(round.to)[number].in.end, round.out.end);
      const Cargo cargo = cargo_of(swap, moves, places, static_cast<int>(number), place, round.to);
      EXPECT_LE(cargo.upper.size() + cargo.displaced.size(), moves.upper.size());
      for (const auto i : cargo.upper) {
        EXPECT_TRUE(before[place].upper.contains(i));
        held[round.to].upper.insert(i);
      }
      for (const auto i : cargo.displaced) {
        EXPECT_TRUE(before[place].displaced.contains(i));
        held[round.to].displaced.insert(i);
      }
    }
  }
  return held;
}

// Pivots of a panel of eight columns that lie on all places, some of them twice.
Panel some_panel(const Problem& problem) {
  Panel panel(Panel::doubles_of(problem.n, problem.nb));
  panel.shape(1, problem.n, problem.nb);
  const std::vector<std::int64_t> pivots{77, 8 + 4, 40, 77, 12, 100, 15, 59};
  for (std::size_t k = 0; k < pivots.size(); ++k)
    panel.pivots()[k] = static_cast<double>(pivots[k]);
  return panel;
}

TEST(Rows, EveryMessageHoldsAtMostAPanelsWidthAndAllRowsArrive) {
  for (const Swap swap : {Swap::binary_exchange, Swap::spread_roll})
    for (int places = 2; places <= 13; ++places) {
      Problem problem;
      problem.n = 104, problem.nb = 8, problem.grid = {places, 1};
      Panel panel = some_panel(problem);
      const RowMoves moves = row_moves(problem, panel);
      ASSERT_EQ(moves.upper.size(), 8u);
      const std::vector<Held> held = after_all_rounds(swap, moves, places);
      for (int place = 0; place < places; ++place) {
        EXPECT_EQ(held[place].upper.size(), 8u) << places;
        for (std::size_t i = 0; i < moves.displaced.size(); ++i)
          if (moves.displaced[i].place == place) {
            EXPECT_TRUE(held[place].displaced.contains(static_cast<std::int64_t>(i))) << places;
          }
      }
    }
}

TEST(Rows, MovesAreThePivotsOneAfterTheOther) {
  Problem problem;
  problem.n = 104, problem.nb = 8, problem.grid = {3, 1};
  Panel panel = some_panel(problem);
  std::vector<std::int64_t> rows(104);
  std::iota(rows.begin(), rows.end(), 0);
  for (std::int64_t k = 0; k < 8; ++k) std::swap(rows[8 + k], rows[panel.pivot(k)]);
  const RowMoves moves = row_moves(problem, panel);
  const auto global = [&](int place, std::int64_t local) {
    return global_index(local, 8, (place + 1) % 3, 3);
  };
  for (std::int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(global(moves.upper[i].place, moves.upper[i].local), rows[8 + i]);
  for (const auto& one : moves.displaced)
    EXPECT_EQ(8 + one.top, rows[global(one.place, one.local)]);
}

// Sizes around tiles; what stands beside a matrix stays.
TEST(Kernels, ProductAndTriangleAreWhatTheySay) {
  for (const std::int64_t m : {1, 5, 37})
    for (const std::int64_t n : {1, 7, 16, 41}) {
      const std::int64_t k = 5, stride = 43;
      std::vector<double> l(stride * m), u(stride * k), c(stride * m);
      elements(3, 0, 0, stride * m, l.data());
      elements(3, 1, 0, stride * k, u.data());
      elements(3, 2, 0, stride * m, c.data());
      const std::vector<double> before = c, right = u;
      subtract_product(m, n, k, {l.data(), stride}, {u.data(), stride}, {c.data(), stride});
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < stride; ++j) {
          double expected = before[i * stride + j];
          for (std::int64_t p = 0; p < (j < n ? k : 0); ++p)
            expected -= l[i * stride + p] * u[p * stride + j];
          EXPECT_NEAR(c[i * stride + j], expected, 1e-14);
        }
      if (m < k) continue;
      solve_unit_lower(k, n, {l.data(), stride}, {u.data(), stride});
      for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < stride; ++j) {
          double sum = u[i * stride + j];
          for (std::int64_t p = 0; p < (j < n ? i : 0); ++p)
            sum += l[i * stride + p] * u[p * stride + j];
          EXPECT_NEAR(sum, right[i * stride + j], 1e-14);
        }
    }
}

// Widths around blocks and columns around strips; what stands beside U stays.
TEST(Triangle, SolvesWhatItsProductGives) {
  for (const std::int64_t width : {1, 5, 47, 48, 49, 97, 192, 200})
    for (const std::int64_t columns : {1, 17, 1025}) {
      const std::int64_t stride = columns + 3;
      std::vector<double> lower(width * width), upper(width * stride, 7.0);
      for (std::int64_t i = 0; i < width * width; ++i) lower[i] = std::sin(1.7 * double(i));
      std::vector<double> wanted(width * columns);
      for (std::int64_t i = 0; i < width * columns; ++i) wanted[i] = std::cos(0.3 * double(i));
      const auto l = [&](std::int64_t i, std::int64_t k) {
        return i == k ? 1.0 : lower[i * width + k] / double(width);
      };
      for (std::int64_t i = 0; i < width; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
          double sum = 0.0;
          for (std::int64_t k = 0; k <= i; ++k) sum += l(i, k) * wanted[k * columns + j];
          upper[i * stride + j] = sum;
        }
      for (double& element : lower) element /= double(width);
      Triangle triangle;
      triangle.invert({lower.data(), width}, width);
      triangle.solve(upper.data(), stride, columns);
      for (std::int64_t i = 0; i < width; ++i) {
        for (std::int64_t j = 0; j < columns; ++j)
          ASSERT_NEAR(upper[i * stride + j], wanted[i * columns + j], 1e-13) << width;
        for (std::int64_t j = columns; j < stride; ++j) ASSERT_EQ(upper[i * stride + j], 7.0);
      }
    }
}

TEST(Kernels, TheFirstOfEqualLargestElementsIsFound) {
  const std::vector<double> columns(80, 0.0), factors(8, 1.0);
  for (int count = 0; count < widest_leaf; ++count) {
    std::vector<double> target{1.0, -3.0, 2.0, 3.0, -3.0};
    EXPECT_EQ(subtract_columns(5, count, columns.data(), 10, factors.data(), target.data()), 1);
  }
  EXPECT_EQ(subtract_columns(0, 0, nullptr, 0, nullptr, nullptr), -1);
}

// Many rows are shared among threads.
TEST(Leaf, HasItsColumnsAndLeavesTheOthersAlone) {
  for (const std::int64_t rows : {1, 9, 5000}) {
    const std::int64_t width = 11, begin = 2, end = 7, first = rows > 5 ? 3 : 0;
    std::vector<double> all(width * rows);
    elements(4, 0, 0, width * rows, all.data());
    const std::vector<double> before = all;
    const Rowwise panel{all.data(), width};
    Leaf leaf(rows);
    leaf.load(panel, first, rows, begin, end);
    for (std::int64_t i = first; i < rows; ++i)
      for (std::int64_t k = begin; k < end; ++k) {
        ASSERT_EQ(leaf.column(k)[i], before[i * width + k]);
        leaf.column(k)[i] *= 2.0;
      }
    std::vector<double> row(width), other(width, 0.25);
    leaf.row_out(panel, rows - 1, width, row.data());
    leaf.row_in(panel, rows - 1, width, other.data());
    leaf.store(panel);
    for (std::int64_t k = 0; k < width; ++k) {
      const bool own = k >= begin && k < end;
      EXPECT_EQ(row[k], before[(rows - 1) * width + k] * (own ? 2.0 : 1.0));
      EXPECT_EQ(all[(rows - 1) * width + k], 0.25);
      for (std::int64_t i = 0; i + 1 < rows; ++i)
        ASSERT_EQ(all[i * width + k], before[i * width + k] * (own && i >= first ? 2.0 : 1.0));
    }
  }
}

TEST(Reference, SolvesWhatItEliminates) {
  const Eliminated done = plain_elimination(5, 20);
  std::vector<double> row(21);
  for (std::int64_t i = 0; i < 20; ++i) {
    elements(5, i, 0, 21, row.data());
    double sum = 0.0;
    for (std::int64_t j = 0; j < 20; ++j) sum += row[j] * done.x[j];
    EXPECT_NEAR(sum, row[20], 1e-12);
  }
}

}  // namespace
}  // namespace hakaru::apps::linpack
