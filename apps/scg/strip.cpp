#include "apps/scg/strip.hpp"

#include <algorithm>
#include <numeric>

namespace hakaru::apps::scg {
namespace {

std::int64_t whole_lines(std::int64_t words) { return (words + 7) / 8 * 8; }

}  // namespace

Strip::Strip(std::int64_t n_, int rank, int ranks)
    : n(n_),
      first(n_ * rank / ranks),
      rows(n_ * (rank + 1) / ranks - first),
      above(rank > 0 ? rank - 1 : -1),
      below(rank + 1 < ranks ? rank + 1 : -1) {}

std::int64_t Strip::inner_end() const {
  return std::max(inner_begin(), below >= 0 ? rows - 1 : rows);
}

DirectionLayout::DirectionLayout(const Strip& strip)
    : pitch(margin + whole_lines(strip.n)), rows(strip.rows) {}

StripVectors::StripVectors(const Strip& strip, double* direction)
    : strip_(strip),
      layout_(strip),
      pitch_(whole_lines(strip.n)),
      direction_(direction),
      x_(strip.rows * pitch_),
      r_(strip.rows * pitch_),
      q_(strip.rows * pitch_),
      row_sums_(strip.rows) {}

double StripVectors::reset() {
  const std::int64_t n = strip_.n;
  const double h = 1.0 / static_cast<double>(n + 1), b = 0.5 * h * h;
#pragma omp parallel for
  for (std::int64_t y = 0; y < strip_.rows; ++y) {
    std::fill_n(&x_[y * pitch_], n, 0.0);
    std::fill_n(&r_[y * pitch_], n, b);
    std::fill_n(direction_row(y), n, b);
  }
  std::fill(row_sums_.begin(), row_sums_.end(), b * b * static_cast<double>(n));
  return b * b * static_cast<double>(n * strip_.rows);
}

double StripVectors::multiply(std::int64_t begin, std::int64_t end) {
  const std::int64_t n = strip_.n, pitch = layout_.pitch;
#pragma omp parallel for if (end - begin > 1)
  for (std::int64_t y = begin; y < end; ++y) {
    const double* p = direction_ + layout_.row(y);
    double* q = &q_[y * pitch_];
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t x = 0; x < n; ++x) {
      const double value = p[x] - 0.25 * ((p[x - 1] + p[x + 1]) + (p[x - pitch] + p[x + pitch]));
      q[x] = value;
      sum += p[x] * value;
    }
    row_sums_[y] = sum;
  }
  return std::accumulate(row_sums_.begin() + begin, row_sums_.begin() + end, 0.0);
}

double StripVectors::multiply_frame() {
  double total = 0.0;
  if (strip_.inner_begin() > 0) total += multiply(0, 1);
  if (strip_.inner_end() < strip_.rows) total += multiply(strip_.inner_end(), strip_.rows);
  return total;
}

double StripVectors::advance(double alpha) {
#pragma omp parallel for
  for (std::int64_t y = 0; y < strip_.rows; ++y) {
    const double* p = direction_ + layout_.row(y);
    const double* q = &q_[y * pitch_];
    double* x_row = &x_[y * pitch_];
    double* r_row = &r_[y * pitch_];
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t x = 0; x < strip_.n; ++x) {
      x_row[x] += alpha * p[x];
      const double value = r_row[x] - alpha * q[x];
      r_row[x] = value;
      sum += value * value;
    }
    row_sums_[y] = sum;
  }
  return std::accumulate(row_sums_.begin(), row_sums_.end(), 0.0);
}

void StripVectors::turn(double beta) {
#pragma omp parallel for
  for (std::int64_t y = 0; y < strip_.rows; ++y) {
    const double* r_row = &r_[y * pitch_];
    double* p = direction_row(y);
#pragma omp simd
    for (std::int64_t x = 0; x < strip_.n; ++x) p[x] = r_row[x] + beta * p[x];
  }
}

}  // namespace hakaru::apps::scg
