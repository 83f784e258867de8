#include "apps/himeno/stencil.hpp"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::himeno {
namespace {

namespace simd = hwy::HWY_NAMESPACE;

constexpr std::int64_t line_bytes = 64;
// Far enough ahead to hide a memory access: two groups of twelve lines.
constexpr std::int64_t prefetch_bytes = 2 * coefficient_count * line_bytes;

// Sum of squares of residuals in double precision.
template <typename Real>
class SquareSum;

template <>
class SquareSum<double> {
  using Tag = simd::CappedTag<double, line_bytes / sizeof(double)>;

 public:
  HWY_INLINE void add(simd::Vec<Tag> residual) { sum_ = simd::MulAdd(residual, residual, sum_); }
  HWY_INLINE double total() const { return simd::GetLane(simd::SumOfLanes(Tag(), sum_)); }

 private:
  simd::Vec<Tag> sum_ = simd::Zero(Tag());
};

template <>
class SquareSum<float> {
  using Tag = simd::CappedTag<float, line_bytes / sizeof(float)>;
  using Wide = simd::Repartition<double, Tag>;

 public:
  HWY_INLINE void add(simd::Vec<Tag> residual) {
    const simd::Half<Tag> half;
    const auto low = simd::PromoteTo(Wide(), simd::LowerHalf(half, residual));
    const auto high = simd::PromoteTo(Wide(), simd::UpperHalf(half, residual));
    low_ = simd::MulAdd(low, low, low_);
    high_ = simd::MulAdd(high, high, high_);
  }
  HWY_INLINE double total() const {
    return simd::GetLane(simd::SumOfLanes(Wide(), simd::Add(low_, high_)));
  }

 private:
  simd::Vec<Wide> low_ = simd::Zero(Wide()), high_ = simd::Zero(Wide());
};

// The 19 neighbours of the points that start at `centre`.
template <typename Tag, typename Real>
struct Neighbours {
  const Real* centre;
  std::int64_t pitch, plane;

  HWY_INLINE simd::Vec<Tag> at(int z, int y, int x) const {
    return simd::LoadU(Tag(), centre + z * plane + y * pitch + x);
  }
  // p(+,+) - p(+,-) - p(-,+) + p(-,-) in two of the axes.
  HWY_INLINE simd::Vec<Tag> mixed(int z, int y, int x, int z2, int y2, int x2) const {
    const auto same = simd::Add(at(z + z2, y + y2, x + x2), at(-z - z2, -y - y2, -x - x2));
    const auto opposite = simd::Add(at(z - z2, y - y2, x - x2), at(z2 - z, y2 - y, x2 - x));
    return simd::Sub(same, opposite);
  }
};

template <typename Tag, typename Real>
HWY_INLINE simd::Vec<Tag> residual(const Neighbours<Tag, Real>& p, const Real* coefficients,
                                   simd::Vec<Tag> centre) {
  constexpr std::int64_t line = line_bytes / sizeof(Real);
  auto coefficient = [&](int which)
                         HWY_ATTR { return simd::Load(Tag(), coefficients + which * line); };
  auto straight = simd::MulAdd(coefficient(0), p.at(1, 0, 0), coefficient(9));
  straight = simd::MulAdd(coefficient(1), p.at(0, 1, 0), straight);
  straight = simd::MulAdd(coefficient(2), p.at(0, 0, 1), straight);
  straight = simd::MulAdd(coefficient(6), p.at(-1, 0, 0), straight);
  straight = simd::MulAdd(coefficient(7), p.at(0, -1, 0), straight);
  straight = simd::MulAdd(coefficient(8), p.at(0, 0, -1), straight);
  auto diagonal = simd::Mul(coefficient(3), p.mixed(1, 0, 0, 0, 1, 0));
  diagonal = simd::MulAdd(coefficient(4), p.mixed(0, 1, 0, 0, 0, 1), diagonal);
  diagonal = simd::MulAdd(coefficient(5), p.mixed(1, 0, 0, 0, 0, 1), diagonal);
  const auto s = simd::Add(straight, diagonal);
  return simd::Mul(simd::MulSub(s, coefficient(10), centre), coefficient(11));
}

template <bool streaming, typename Real>
double update(const Arrays<Real>& arrays, std::int64_t first, std::int64_t last) {
  using Tag = simd::CappedTag<Real, line_bytes / sizeof(Real)>;
  const Tag tag;
  constexpr std::int64_t line = line_bytes / sizeof(Real);
  const std::int64_t lanes = static_cast<std::int64_t>(simd::Lanes(tag));
  const Shape shape = arrays.shape;
  const auto omega = simd::Set(tag, static_cast<Real>(relaxation));
  SquareSum<Real> sum;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t start = shape.index(0, row % shape.y + 1, row / shape.y + 1);
    const Real* coefficients = arrays.coefficients + row * shape.row_coefficients();
    for (std::int64_t i = 0; i < shape.pitch; i += line, coefficients += coefficient_count * line) {
      for (int which = 0; which < coefficient_count; ++which)
        hwy::Prefetch(coefficients + prefetch_bytes / sizeof(Real) + which * line);
      for (std::int64_t lane = 0; lane < line; lane += lanes) {
        const std::int64_t point = start + i + lane;
        const Neighbours<Tag, Real> p{arrays.now + point, shape.pitch, shape.plane};
        const auto centre = p.at(0, 0, 0);
        const auto r = residual<Tag, Real>(p, coefficients + lane, centre);
        sum.add(r);
        const auto updated = simd::MulAdd(omega, r, centre);
        if constexpr (streaming)
          simd::Stream(updated, tag, arrays.next + point);
        else
          simd::Store(updated, tag, arrays.next + point);
      }
    }
  }
  if constexpr (streaming) hwy::FlushStream();
  return sum.total();
}

}  // namespace

template <typename Real>
double update_rows(const Arrays<Real>& arrays, std::int64_t first, std::int64_t last,
                   bool streaming) {
  return streaming ? update<true>(arrays, first, last) : update<false>(arrays, first, last);
}

template double update_rows(const Arrays<float>&, std::int64_t, std::int64_t, bool);
template double update_rows(const Arrays<double>&, std::int64_t, std::int64_t, bool);

}  // namespace hakaru::apps::himeno
HWY_AFTER_NAMESPACE();
