#include "apps/scg/block.hpp"

#include <algorithm>
#include <numeric>

namespace hakaru::apps::scg {
namespace {

std::int64_t whole_lines(std::int64_t words) { return (words + 7) / 8 * 8; }

}  // namespace

Grid grid_of(int ranks, Decomposition decomposition) {
  int columns = 1;
  if (decomposition == Decomposition::blocks)
    for (int divisor = 2; divisor * divisor <= ranks; ++divisor)
      if (ranks % divisor == 0) columns = divisor;
  return {ranks / columns, columns};
}

Block::Block(std::int64_t n_, int rank, Grid grid)
    : n(n_),
      first_row(n_ * (rank / grid.columns) / grid.rows),
      rows(n_ * (rank / grid.columns + 1) / grid.rows - first_row),
      first_column(n_ * (rank % grid.columns) / grid.columns),
      columns(n_ * (rank % grid.columns + 1) / grid.columns - first_column),
      above(rank >= grid.columns ? rank - grid.columns : -1),
      below(rank / grid.columns + 1 < grid.rows ? rank + grid.columns : -1),
      left(rank % grid.columns > 0 ? rank - 1 : -1),
      right(rank % grid.columns + 1 < grid.columns ? rank + 1 : -1) {}

Range Block::inner_rows() const {
  const std::int64_t begin = above >= 0 ? 1 : 0;
  return {begin, std::max(begin, below >= 0 ? rows - 1 : rows)};
}

Range Block::inner_columns() const {
  const std::int64_t begin = left >= 0 ? 1 : 0;
  return {begin, std::max(begin, right >= 0 ? columns - 1 : columns)};
}

DirectionLayout::DirectionLayout(const Block& block)
    : pitch(margin + whole_lines(block.columns)), rows(block.rows) {}

BlockVectors::BlockVectors(const Block& block, double* direction)
    : block_(block),
      layout_(block),
      pitch_(whole_lines(block.columns)),
      direction_(direction),
      x_(block.rows * pitch_),
      r_(block.rows * pitch_),
      q_(block.rows * pitch_),
      row_sums_(block.rows) {}

double BlockVectors::reset() {
  const std::int64_t columns = block_.columns;
  const double h = 1.0 / static_cast<double>(block_.n + 1), b = 0.5 * h * h;
#pragma omp parallel for
  for (std::int64_t y = 0; y < block_.rows; ++y) {
    std::fill_n(&x_[y * pitch_], columns, 0.0);
    std::fill_n(&r_[y * pitch_], columns, b);
    std::fill_n(direction_row(y), columns, b);
  }
  std::fill(row_sums_.begin(), row_sums_.end(), b * b * static_cast<double>(columns));
  return b * b * static_cast<double>(columns * block_.rows);
}

void BlockVectors::multiply(Range rows, Range columns) {
  const std::int64_t pitch = layout_.pitch;
#pragma omp parallel for if (rows.size() > 1 && columns.size() > 1)
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    const double* p = direction_ + layout_.row(y);
    double* q = &q_[y * pitch_];
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t x = columns.begin; x < columns.end; ++x) {
      const double value = p[x] - 0.25 * ((p[x - 1] + p[x + 1]) + (p[x - pitch] + p[x + pitch]));
      q[x] = value;
      sum += p[x] * value;
    }
    row_sums_[y] += sum;
  }
}

void BlockVectors::multiply_inner() {
  std::fill(row_sums_.begin(), row_sums_.end(), 0.0);
  multiply(block_.inner_rows(), block_.inner_columns());
}

void BlockVectors::multiply_frame() {
  const Range rows = block_.inner_rows(), columns = block_.inner_columns();
  multiply({0, rows.begin}, {0, block_.columns});
  multiply(rows, {0, columns.begin});
  multiply(rows, {columns.end, block_.columns});
  multiply({rows.end, block_.rows}, {0, block_.columns});
}

double BlockVectors::product() const {
  return std::accumulate(row_sums_.begin(), row_sums_.end(), 0.0);
}

double BlockVectors::advance(double alpha) {
#pragma omp parallel for
  for (std::int64_t y = 0; y < block_.rows; ++y) {
    const double* p = direction_ + layout_.row(y);
    const double* q = &q_[y * pitch_];
    double* x_row = &x_[y * pitch_];
    double* r_row = &r_[y * pitch_];
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t x = 0; x < block_.columns; ++x) {
      x_row[x] += alpha * p[x];
      const double value = r_row[x] - alpha * q[x];
      r_row[x] = value;
      sum += value * value;
    }
    row_sums_[y] = sum;
  }
  return std::accumulate(row_sums_.begin(), row_sums_.end(), 0.0);
}

void BlockVectors::turn(double beta) {
#pragma omp parallel for
  for (std::int64_t y = 0; y < block_.rows; ++y) {
    const double* r_row = &r_[y * pitch_];
    double* p = direction_row(y);
#pragma omp simd
    for (std::int64_t x = 0; x < block_.columns; ++x) p[x] = r_row[x] + beta * p[x];
  }
}

}  // namespace hakaru::apps::scg
