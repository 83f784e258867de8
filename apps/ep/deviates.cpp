#include "apps/ep/deviates.hpp"

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "apps/ep/random.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::ep {
namespace {

namespace simd = hwy::HWY_NAMESPACE;

using Reals = simd::ScalableTag<double>;
using Words = simd::Rebind<std::uint64_t, Reals>;
using Real = simd::Vec<Reals>;
using Word = simd::Vec<Words>;

// States are kept in the upper 46 bits of a word, where a product modulo 2^64 is the product modulo
// 2^46.
constexpr int spare_bits = 64 - modulus_bits;

// 2 r - 1 without rounding: the fraction of a number between 1 and 2 is r.
HWY_INLINE Real coordinate(Word state) {
  const Word one_and_r = simd::Or(simd::ShiftRight<12>(state), simd::Set(Words(), 0x3ffull << 52));
  return simd::MulSub(simd::BitCast(Reals(), one_and_r), simd::Set(Reals(), 2.0),
                      simd::Set(Reals(), 3.0));
}

// sqrt(s / t) for s >= 0 and 2^-89 <= t <= 1.
HWY_INLINE Real root_of_ratio(Real s, Real t) {
#if HWY_TARGET <= HWY_AVX3
  // s y with y = 1 / sqrt(s t): 11 bits or more, tripled by each of two steps
  // y += y e (1/2 + 3/8 e), e = 1 - s t y^2. A division and a square root take the divider four
  // times as long.
  const simd::Rebind<float, Reals> singles;
  const Real product = simd::Max(simd::Mul(s, t), simd::Set(Reals(), 0x1p-120));
  Real y =
      simd::PromoteTo(Reals(), simd::ApproximateReciprocalSqrt(simd::DemoteTo(singles, product)));
  for (int step = 0; step < 2; ++step) {
    const Real error = simd::NegMulAdd(simd::Mul(product, y), y, simd::Set(Reals(), 1.0));
    const Real half = simd::MulAdd(error, simd::Set(Reals(), 0.375), simd::Set(Reals(), 0.5));
    y = simd::MulAdd(simd::Mul(y, error), half, y);
  }
  return simd::Mul(s, y);
#else
  return simd::Sqrt(simd::Div(s, t));
#endif
}

// A batch's accepted pairs wait here until there are enough for whole vectors.
class Batch {
 public:
  explicit Batch(Tally& tally) : tally_(tally) {}

  void run(std::int64_t batch) {
    const std::size_t lanes = simd::Lanes(Reals());
    HWY_ALIGN std::uint64_t first[HWY_MAX_BYTES / 8], second[HWY_MAX_BYTES / 8];
    std::uint64_t state = state_at(2 * static_cast<std::uint64_t>(batch * batch_pairs));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      first[lane] = (state *= multiplier) << spare_bits;
      second[lane] = (state *= multiplier) << spare_bits;
    }
    Word xs = simd::Load(Words(), first), ys = simd::Load(Words(), second);
    const Word leap = simd::Set(Words(), power(2 * lanes));
    for (std::int64_t done = 0; done < batch_pairs; done += chunk_pairs) {
      for (std::int64_t i = 0; i < chunk_pairs; i += static_cast<std::int64_t>(lanes)) {
        accept(coordinate(xs), coordinate(ys));
        xs = simd::Mul(xs, leap);
        ys = simd::Mul(ys, leap);
      }
      transform_waiting();
    }
    transform_rest();
    finish();
  }

 private:
  static constexpr std::int64_t chunk_pairs = 1024;
  static constexpr std::size_t room = chunk_pairs + 3 * HWY_MAX_BYTES / 8;

  HWY_INLINE void accept(Real x, Real y) {
    const Real t = simd::MulAdd(x, x, simd::Mul(y, y));
    const auto inside = simd::Le(t, simd::Set(Reals(), 1.0));
    simd::CompressBlendedStore(x, inside, Reals(), x_ + waiting_);
    waiting_ += simd::CompressBlendedStore(y, inside, Reals(), y_ + waiting_);
  }

  void transform_waiting() {
    const std::size_t lanes = simd::Lanes(Reals());
    std::size_t at = 0;
    for (; at + lanes <= waiting_; at += lanes) transform(at);
    std::copy(x_ + at, x_ + waiting_, x_);
    std::copy(y_ + at, y_ + waiting_, y_);
    accepted_ += static_cast<std::int64_t>(at);
    waiting_ -= at;
  }

  // Fills the last vector with pairs on the circle, whose deviates are 0 and fall into bin 0, which
  // is what is left of the accepted ones.
  void transform_rest() {
    if (waiting_ == 0) return;
    std::fill(x_ + waiting_, x_ + waiting_ + simd::Lanes(Reals()), 1.0);
    std::fill(y_ + waiting_, y_ + waiting_ + simd::Lanes(Reals()), 0.0);
    transform(0);
    accepted_ += static_cast<std::int64_t>(waiting_);
  }

  HWY_INLINE void transform(std::size_t at) {
    const Real x = simd::LoadU(Reals(), x_ + at), y = simd::LoadU(Reals(), y_ + at);
    const Real t = simd::MulAdd(x, x, simd::Mul(y, y));
    const Real logarithm = simd::impl::Log<Reals, Real, /*kAllowSubnormals=*/false>(Reals(), t);
    const Real s = simd::Max(simd::Mul(simd::Set(Reals(), -2.0), logarithm), simd::Zero(Reals()));
    const Real factor = root_of_ratio(s, t);
    const Real deviate_x = simd::Mul(x, factor), deviate_y = simd::Mul(y, factor);
    sum_x_ = simd::Add(sum_x_, deviate_x);
    sum_y_ = simd::Add(sum_y_, deviate_y);
    const Real larger = simd::Max(simd::Abs(deviate_x), simd::Abs(deviate_y));
    for (int bin = 1; bin < common_bins; ++bin)
      at_least_[bin] += static_cast<std::int64_t>(
          simd::CountTrue(Reals(), simd::Ge(larger, simd::Set(Reals(), static_cast<double>(bin)))));
    const auto rare = simd::Ge(larger, simd::Set(Reals(), static_cast<double>(common_bins)));
    if (HWY_UNLIKELY(!simd::AllFalse(Reals(), rare))) count_rare(larger);
  }

  void count_rare(Real larger) {
    HWY_ALIGN double values[HWY_MAX_BYTES / 8];
    simd::Store(larger, Reals(), values);
    for (std::size_t lane = 0; lane < simd::Lanes(Reals()); ++lane)
      if (values[lane] >= common_bins) {
        ++tally_.counts[static_cast<std::size_t>(values[lane])];
        ++at_least_[common_bins];
      }
  }

  void finish() {
    at_least_[0] = accepted_;
    for (int bin = 0; bin < common_bins; ++bin)
      tally_.counts[bin] += at_least_[bin] - at_least_[bin + 1];
    tally_.x.add(simd::GetLane(simd::SumOfLanes(Reals(), sum_x_)));
    tally_.y.add(simd::GetLane(simd::SumOfLanes(Reals(), sum_y_)));
  }

  // One vector in a thousand has a deviate in a bin beyond these.
  static constexpr int common_bins = 4;

  Tally& tally_;
  std::size_t waiting_ = 0;
  std::int64_t accepted_ = 0;
  std::array<std::int64_t, common_bins + 1> at_least_{};
  Real sum_x_ = simd::Zero(Reals()), sum_y_ = simd::Zero(Reals());
  HWY_ALIGN double x_[room], y_[room];
};

}  // namespace

void tally_batch(std::int64_t batch, Tally& tally) { Batch(tally).run(batch); }

void tally_batch_plainly(std::int64_t batch, Tally& tally) {
  std::uint64_t state = state_at(2 * static_cast<std::uint64_t>(batch * batch_pairs));
  const auto next = [&] {
    state = state * multiplier & modulus_mask;
    return 2.0 * std::ldexp(static_cast<double>(state), -modulus_bits) - 1.0;
  };
  double sum_x = 0.0, sum_y = 0.0;
  for (std::int64_t pair = 0; pair < batch_pairs; ++pair) {
    const double x = next(), y = next(), t = x * x + y * y;
    if (t > 1.0) continue;
    const double factor = std::sqrt(-2.0 * std::log(t) / t);
    ++tally.counts[static_cast<std::size_t>(std::max(std::abs(x * factor), std::abs(y * factor)))];
    sum_x += x * factor;
    sum_y += y * factor;
  }
  tally.x.add(sum_x);
  tally.y.add(sum_y);
}

void Tally::add(const Tally& other) {
  x.merge(other.x);
  y.merge(other.y);
  for (int bin = 0; bin < bins; ++bin) counts[bin] += other.counts[bin];
}

std::int64_t Tally::accepted() const {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

}  // namespace hakaru::apps::ep
HWY_AFTER_NAMESPACE();
