#include "apps/himeno/block.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/himeno/stencil.hpp"
#include "native/base/share.hpp"

namespace hakaru::apps::himeno {
namespace {

// Rows of the calling thread: contiguous, so that each thread always works on the same memory.
base::Share share_of_thread(std::int64_t rows) {
  return base::share_of(rows, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace

template <typename Real>
Block<Real>::Block(const Problem& problem, const Region& region)
    : problem_(problem),
      region_(region),
      shape_(region.x.count, region.y.count, region.z.count, sizeof(Real)),
      coefficients_(lead_coefficients + shape_.rows() * shape_.row_coefficients()),
      first_(lead_now + shape_.pressure_words() + line),
      second_(lead_next + shape_.pressure_words() + line),
      now_(second_.data() + lead_next),
      next_(first_.data() + lead_now) {
  initialise_coefficients();
  reset();
  std::swap(now_, next_);
  reset();
}

template <typename Real>
void Block<Real>::initialise_coefficients() {
#pragma omp parallel
  {
    const base::Share share = share_of_thread(shape_.rows());
    for (std::int64_t row = share.first; row < share.end(); ++row) {
      Real* of_row = coefficients_.data() + lead_coefficients + row * shape_.row_coefficients();
      const std::int64_t y = region_.y.first + row % shape_.y, z = region_.z.first + row / shape_.y;
      for (std::int64_t i = 0; i < shape_.pitch; ++i) {
        const bool interior = 1 <= i && i <= shape_.x;
        const auto values = interior
                                ? problem_.coefficients(region_.x.first + i - 1, y, z).in_order()
                                : std::array<double, coefficient_count>{};
        for (int which = 0; which < coefficient_count; ++which)
          of_row[(i / line * coefficient_count + which) * line + i % line] =
              static_cast<Real>(values[which]);
      }
    }
  }
}

template <typename Real>
void Block<Real>::initialise_row(Real* pressure, std::int64_t j, std::int64_t k) const {
  Real* row = pressure + shape_.index(0, j, k);
  for (std::int64_t i = 0; i < shape_.x + 2; ++i)
    row[i] = static_cast<Real>(problem_.initial_pressure(
        region_.x.first + i - 1, region_.y.first + j - 1, region_.z.first + k - 1));
}

template <typename Real>
void Block<Real>::reset() {
#pragma omp parallel
  {
    const base::Share share = share_of_thread(shape_.rows());
    auto mine = [&](std::int64_t j, std::int64_t k) {
      const std::int64_t row = (std::clamp<std::int64_t>(k, 1, shape_.z) - 1) * shape_.y +
                               std::clamp<std::int64_t>(j, 1, shape_.y) - 1;
      return share.first <= row && row < share.end();
    };
    for (std::int64_t k = 0; k < shape_.z + 2; ++k)
      for (std::int64_t j = 0; j < shape_.y + 2; ++j)
        if (mine(j, k)) initialise_row(now_, j, k);
  }
}

template <typename Real>
double Block<Real>::iterate(bool streaming) {
  sums_.assign(omp_get_max_threads(), 0.0);
#pragma omp parallel
  {
    const base::Share share = share_of_thread(shape_.rows());
    sums_[omp_get_thread_num()] =
        update_rows<Real>({shape_, coefficients_.data() + lead_coefficients, now_, next_},
                          share.first, share.end(), streaming);
  }
  std::swap(now_, next_);
  return std::accumulate(sums_.begin(), sums_.end(), 0.0);
}

template <typename Real>
void Block<Real>::iterate_exactly(bool streaming, parallel::ExactSum& gosa) {
  parallel::ExactSum sum;
#pragma omp parallel for schedule(static) reduction(parallel::exact : sum)
  for (std::int64_t row = 0; row < shape_.rows(); ++row)
    sum.add(update_rows<Real>({shape_, coefficients_.data() + lead_coefficients, now_, next_}, row,
                              row + 1, streaming));
  std::swap(now_, next_);
  gosa.merge(sum);
}

template class Block<float>;
template class Block<double>;

}  // namespace hakaru::apps::himeno
