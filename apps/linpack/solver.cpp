#include "apps/linpack/solver.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "apps/linpack/elimination.hpp"
#include "apps/linpack/phases.hpp"
#include "native/base/blas_threads.hpp"

namespace hakaru::apps::linpack {
namespace {

constexpr std::int64_t worth_threads = 500;  // rows

std::int64_t most_doubles(const Problem& p, int row) {
  return Panel::doubles_of(p.rows_below(p.n, row), std::min(p.nb, p.n));
}

}  // namespace

Solver::Solver(const Problem& problem, const parallel::Communicator& world, base::Phases& phases,
               int threads)
    : problem_(problem),
      world_(world),
      phases_(phases),
      my_row_(problem.grid.row_of(world.rank())),
      my_column_(problem.grid.column_of(world.rank())),
      row_(world.split(my_row_, world.rank())),
      column_(world.split(my_column_, world.rank())),
      matrix_(problem, my_row_, my_column_),
      factorisation_(problem_, my_row_, column_, phases),
      mover_(problem_, my_row_, column_),
      panels_{Panel(most_doubles(problem, my_row_)), Panel(most_doubles(problem, my_row_))},
      passings_{Passing(problem.route, row_), Passing(problem.route, row_)},
      x_(static_cast<std::size_t>(problem.n), 0.0),
      pivots_(static_cast<std::size_t>(problem.n), 0) {
  base::use_blas_threads(problem.n < worth_threads ? 1 : threads);
}

void Solver::generate() {
  auto scope = phases_.scope(phase::generate);
  matrix_.generate();
}

void Solver::damage() {
  if (world_.rank() == 0) matrix_.row(0)[0] += 1.0;
}

void Solver::run() {
  inverted_ = -1;
  eliminate(problem_, *this);
  if (problem_.whole()) substitute();
}

Panel& Solver::shaped(std::int64_t j) {
  Panel& panel = panels_[static_cast<std::size_t>(j % 2)];
  const std::int64_t above = problem_.rows_below(problem_.begin(j), my_row_);
  panel.shape(j, matrix_.rows() - above, problem_.width(j));
  return panel;
}

void Solver::panel(std::int64_t j) {
  auto scope = phases_.scope(phase::panel);
  Panel& panel = shaped(j);
  factorisation_.run(panel, matrix_, problem_.rows_below(problem_.begin(j), my_row_),
                     problem_.columns_below(problem_.begin(j), my_column_));
  if (my_row_ != 0) return;
  for (std::int64_t k = 0; k < panel.width(); ++k) pivots_[problem_.begin(j) + k] = panel.pivot(k);
}

void Solver::start(std::int64_t j) {
  auto scope = phases_.scope(phase::broadcast);
  passings_[static_cast<std::size_t>(j % 2)].start(shaped(j), problem_.column_of(j));
}

void Solver::finish(std::int64_t j) {
  auto scope = phases_.scope(phase::broadcast);
  passings_[static_cast<std::size_t>(j % 2)].finish();
}

void Solver::release(std::int64_t j) {
  auto scope = phases_.scope(phase::broadcast);
  passings_[static_cast<std::size_t>(j % 2)].release();
}

void Solver::forward(std::int64_t next) {
  auto scope = phases_.scope(phase::broadcast);
  passings_[static_cast<std::size_t>(next % 2)].forward();
}

void Solver::update(std::int64_t j, Columns columns, std::int64_t next) {
  const std::int64_t first =
      next < 0 ? 0 : columns_before_forward(problem_, next, my_column_, columns);
  const Block block = swap_rows(j, columns);
  {
    auto scope = phases_.scope(phase::update);
    solve_upper(j, columns, block);
    subtract(j, columns, {0, first}, block);
  }
  if (next >= 0) forward(next);
  auto scope = phases_.scope(phase::update);
  subtract(j, columns, {first, columns.count()}, block);
}

Solver::Block Solver::swap_rows(std::int64_t j, Columns columns) {
  auto scope = phases_.scope(phase::swap);
  Panel& panel = panels_[static_cast<std::size_t>(j % 2)];
  if (problem_.grid.rows > 1) return {mover_.move(panel, matrix_, columns), columns.count()};
  Mover::swap_in_place(problem_, panel, matrix_, columns);
  return {matrix_.row(problem_.begin(j)) + columns.begin, matrix_.stride()};
}

// U = L^-1 U; a copy of it goes into the matrix on the process row of the diagonal.
void Solver::solve_upper(std::int64_t j, Columns columns, Block block) {
  if (columns.count() == 0) return;
  Panel& panel = panels_[static_cast<std::size_t>(j % 2)];
  if (inverted_ != j) triangle_.invert(panel.top(), panel.width());
  inverted_ = j;
  triangle_.solve(block.upper, block.stride, columns.count());
  if (problem_.grid.rows == 1 || !on_diagonal_row(j)) return;
  const std::int64_t top = problem_.rows_below(problem_.begin(j), my_row_);
  for (std::int64_t i = 0; i < panel.width(); ++i)
    std::copy_n(block.upper + i * block.stride, columns.count(),
                matrix_.row(top + i) + columns.begin);
}

void Solver::subtract(std::int64_t j, Columns columns, Columns part, Block block) {
  Panel& panel = panels_[static_cast<std::size_t>(j % 2)];
  const std::int64_t top = problem_.rows_below(problem_.begin(j + 1), my_row_);
  const int m = static_cast<int>(matrix_.rows() - top), n = static_cast<int>(part.count());
  if (m == 0 || n == 0) return;
  const Rowwise lower = panel.lower().at(on_diagonal_row(j) ? panel.width() : 0, 0);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, static_cast<int>(panel.width()),
              -1.0, lower.data, static_cast<int>(lower.stride), block.upper + part.begin,
              static_cast<int>(block.stride), 1.0, matrix_.row(top) + columns.begin + part.begin,
              static_cast<int>(matrix_.stride()));
}

// U x = b': each process column keeps what its blocks of x take from b'.
void Solver::substitute() {
  auto solve = phases_.scope(phase::solve);
  const std::int64_t rows = matrix_.rows(), last = matrix_.columns() - 1;
  std::vector<double> left(static_cast<std::size_t>(rows), 0.0);
  if (problem_.columns_below(problem_.n, my_column_) == last)
    for (std::int64_t i = 0; i < rows; ++i) left[i] = matrix_.row(i)[last];
  std::vector<double> values(static_cast<std::size_t>(problem_.nb));
  for (std::int64_t j = problem_.steps() - 1; j >= 0; --j) {
    const int width = static_cast<int>(problem_.width(j));
    const bool own_row = on_diagonal_row(j), own_column = problem_.column_of(j) == my_column_;
    const std::int64_t above = problem_.rows_below(problem_.begin(j), my_row_);
    if (own_row) {
      std::copy_n(left.data() + above, width, values.data());
      if (row_.size() > 1) {
        auto scope = phases_.scope(phase::substitution);
        HAKARU_MPI(MPI_Reduce(left.data() + above, values.data(), width, MPI_DOUBLE, MPI_SUM,
                              problem_.column_of(j), row_.handle()));
      }
    }
    if (!own_column) continue;
    if (own_row) solve_diagonal(j, values);
    if (column_.size() > 1) {
      auto scope = phases_.scope(phase::substitution);
      HAKARU_MPI(MPI_Bcast(values.data(), width, MPI_DOUBLE, problem_.row_of(j), column_.handle()));
    }
    const std::int64_t first = problem_.columns_below(problem_.begin(j), my_column_);
#pragma omp parallel for if (above > 4096)
    for (std::int64_t i = 0; i < above; ++i) {
      const double* row = matrix_.row(i) + first;
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (int k = 0; k < width; ++k) sum += row[k] * values[k];
      left[i] -= sum;
    }
    std::copy_n(values.data(), width, x_.data() + problem_.begin(j));
  }
}

void Solver::solve_diagonal(std::int64_t j, std::vector<double>& values) {
  const std::int64_t top = problem_.rows_below(problem_.begin(j), my_row_);
  const std::int64_t first = problem_.columns_below(problem_.begin(j), my_column_);
  for (std::int64_t i = problem_.width(j) - 1; i >= 0; --i) {
    const double* row = matrix_.row(top + i) + first;
    double sum = values[i];
    for (std::int64_t k = i + 1; k < problem_.width(j); ++k) sum -= row[k] * values[k];
    values[i] = sum / row[i];
  }
}

std::vector<double> Solver::solution() const {
  std::vector<double> x = x_;
  if (my_row_ != 0) std::fill(x.begin(), x.end(), 0.0);
  world_.sum(x);
  return x;
}

std::vector<std::int64_t> Solver::pivots() const {
  std::vector<std::int64_t> all = pivots_;
  world_.sum(all);
  return all;
}

double Solver::distance_from_ones() const {
  const std::int64_t rows = matrix_.rows(), eliminated = problem_.begin(problem_.steps());
  std::vector<double> sums(static_cast<std::size_t>(rows), 0.0);
  const std::int64_t own = problem_.columns_below(problem_.n, my_column_);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t place = global_index(i, problem_.nb, my_row_, problem_.grid.rows);
    const std::int64_t from = problem_.columns_below(std::min(place, eliminated), my_column_);
    for (std::int64_t j = from; j < own; ++j) sums[i] += matrix_.row(i)[j];
  }
  row_.sum(sums);
  double most = 0.0;
  if (own < matrix_.columns())
    for (std::int64_t i = 0; i < rows; ++i) {
      const double distance = std::abs(sums[i] - matrix_.row(i)[own]);
      if (!(distance <= most)) most = distance;  // a NaN stays
    }
  return world_.maximum(most);
}

}  // namespace hakaru::apps::linpack
