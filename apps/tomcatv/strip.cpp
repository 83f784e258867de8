#include "apps/tomcatv/strip.hpp"

#include <omp.h>

#include <cmath>

#include "native/base/share.hpp"

namespace hakaru::apps::tomcatv {
namespace {

constexpr double relaxation = 2.0 / 0.98;

}  // namespace

Strip::Strip(const Plan& plan, int rank, double* x, double* y)
    : map_(plan.map), n_(plan.n), x_(x), y_(y) {
  const Columns columns{plan.n, plan.ranks};
  first_ = columns.first(rank);
  count_ = columns.count(rank);
  pitch_ = columns.pitch();
  begin_ = first_ == 0 ? 2 : 1;
  end_ = begin_ + columns.inner(rank);
  for (Array* array : {&start_x_, &start_y_, &off_, &diagonal_, &pivot_, &rx_, &ry_})
    *array = Array(static_cast<std::size_t>(n_ * pitch_));
  for (std::int64_t j = 0; j < n_; ++j)
    for (std::int64_t i = -1; i <= count_; ++i) {
      if (first_ + i < 0 || first_ + i >= n_) continue;
      const Point point = interpolated(map_, n_, first_ + i, j);
      start_x_[j * pitch_ + i + 1] = point.real();
      start_y_[j * pitch_ + i + 1] = point.imag();
    }
}

void Strip::reset() {
  const std::int64_t size = n_ * pitch_;
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < size; ++at) {
    x_[at] = start_x_[at];
    y_[at] = start_y_[at];
  }
}

void Strip::residual() {
  double most_x = 0.0, most_y = 0.0;
  const std::int64_t p = pitch_;
#pragma omp parallel for schedule(static) reduction(max : most_x, most_y)
  for (std::int64_t j = 1; j < n_ - 1; ++j) {
    const double *x = x_ + j * p, *y = y_ + j * p;
    double *off = &off_[j * p], *diagonal = &diagonal_[j * p], *rx = &rx_[j * p], *ry = &ry_[j * p];
#pragma omp simd reduction(max : most_x, most_y)
    for (std::int64_t i = begin_; i < end_; ++i) {
      const double xi = x[i + 1] - x[i - 1], yi = y[i + 1] - y[i - 1];
      const double xj = x[i + p] - x[i - p], yj = y[i + p] - y[i - p];
      const double a = 0.25 * (xj * xj + yj * yj);
      const double b = 0.25 * (xi * xi + yi * yi);
      const double c = 0.125 * (xi * xj + yi * yj);
      const double xii = x[i + 1] - 2.0 * x[i] + x[i - 1], yii = y[i + 1] - 2.0 * y[i] + y[i - 1];
      const double xjj = x[i + p] - 2.0 * x[i] + x[i - p], yjj = y[i + p] - 2.0 * y[i] + y[i - p];
      const double xij = x[i + 1 + p] - x[i - 1 + p] - x[i + 1 - p] + x[i - 1 - p];
      const double yij = y[i + 1 + p] - y[i - 1 + p] - y[i + 1 - p] + y[i - 1 - p];
      off[i] = -b;
      diagonal[i] = b + b + relaxation * a;
      rx[i] = a * xii + b * xjj - c * xij;
      ry[i] = a * yii + b * yjj - c * yij;
      most_x = std::max(most_x, std::abs(rx[i]));
      most_y = std::max(most_y, std::abs(ry[i]));
    }
  }
  maxima_ = {most_x, most_y};
}

void Strip::solve() {
#pragma omp parallel
  {
    const base::Share own =
        base::share_of(end_ - begin_, omp_get_thread_num(), omp_get_num_threads());
    eliminate(begin_ + own.first, begin_ + own.end());
  }
}

// Forward elimination and backward substitution of the columns [from, to), all at a time.
void Strip::eliminate(std::int64_t from, std::int64_t to) {
  const std::int64_t p = pitch_;
  double *off = off_.data(), *diagonal = diagonal_.data(), *pivot = pivot_.data();
  double *rx = rx_.data(), *ry = ry_.data();
#pragma omp simd
  for (std::int64_t at = p + from; at < p + to; ++at) pivot[at] = 1.0 / diagonal[at];
  for (std::int64_t j = 2; j < n_ - 1; ++j)
#pragma omp simd
    for (std::int64_t at = j * p + from; at < j * p + to; ++at) {
      const double factor = off[at] * pivot[at - p];
      pivot[at] = 1.0 / (diagonal[at] - factor * off[at - p]);
      rx[at] -= factor * rx[at - p];
      ry[at] -= factor * ry[at - p];
    }
  const std::int64_t last = (n_ - 2) * p;
#pragma omp simd
  for (std::int64_t at = last + from; at < last + to; ++at) {
    rx[at] *= pivot[at];
    ry[at] *= pivot[at];
    x_[at] += rx[at];
    y_[at] += ry[at];
  }
  for (std::int64_t j = n_ - 3; j > 0; --j)
#pragma omp simd
    for (std::int64_t at = j * p + from; at < j * p + to; ++at) {
      rx[at] = (rx[at] - off[at] * rx[at + p]) * pivot[at];
      ry[at] = (ry[at] - off[at] * ry[at + p]) * pivot[at];
      x_[at] += rx[at];
      y_[at] += ry[at];
    }
}

}  // namespace hakaru::apps::tomcatv
