#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "apps/electrons/stencil/rows.hpp"
#include "native/base/require.hpp"

// Blocks of vectors are arrays here, which vectors of unknown length cannot be in.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_COMPILE_ALL_ATTAINABLE
// The order matters: foreach_target includes this file again for every target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/electrons/stencil/explicit.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::electrons::stencil::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Processors without vectors of two numbers: nothing to say explicitly.
void Update(const Problem& p) { run_compiler(p); }
#else

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;
inline constexpr std::size_t lanes = hn::MaxLanes(Tag());

// Two sums a vector, and room for the operands, in 32 registers or the 16 of SSE4 and AVX2.
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
inline constexpr std::size_t most_vectors = 4;
#else
inline constexpr std::size_t most_vectors = 6;
#endif

// v0 v0 v1 v1 ...: a real number for the real and the imaginary part of each point.
HWY_INLINE Vector LoadTwice(const double* from) {
  const Tag d;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3
  HWY_ALIGN static constexpr std::int64_t twice[8] = {0, 0, 1, 1, 2, 2, 3, 3};
  const auto half = hn::LoadU(hn::Half<Tag>(), from);
  return hn::TableLookupLanes(hn::ZeroExtendVector(d, half), hn::SetTableIndices(d, twice));
#else
  static_assert(lanes == 2);
  return hn::Set(d, *from);
#endif
}

// Values that every block needs.
struct Constants {
  const StencilCoefficients& stencil;
  const double* potential;
  double* out;
  double* sum;
  double factor_real, factor_imaginary;
  std::size_t prefetch_bytes;
};

template <std::size_t count>
HWY_INLINE void AddPair(const double* up, const double* down, double laplacian, double gradient,
                        Vector (&even)[count], Vector (&odd)[count]) {
  const Tag d;
  const Vector l = hn::Set(d, laplacian), g = hn::Set(d, gradient);
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v) {
    const Vector above = hn::LoadU(d, up + v * lanes), below = hn::LoadU(d, down + v * lanes);
    even[v] = hn::MulAdd(l, hn::Add(above, below), even[v]);
    odd[v] = hn::MulAdd(g, hn::Sub(above, below), odd[v]);
  }
}

// +1 -1 +1 -1 ...
HWY_INLINE Vector Alternating() {
  const Tag d;
  return hn::OddEven(hn::Set(d, -1.0), hn::Set(d, 1.0));
}

// `count` vectors of a row that begin at the number `at`; of a masked one only the lanes of `mask`
// are written.
template <std::size_t count, bool fused, bool prefetch, bool masked = false>
HWY_INLINE void UpdateBlock(const Constants& c, const Row& row, std::size_t at,
                            Mask mask = Mask()) {
  const Tag d;
  const std::size_t start = 2 * row.start + at;
  const Vector centre_term = hn::Set(d, c.stencil.centre);
  Vector even[count], odd[count];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v) {
    const Vector local = hn::Add(LoadTwice(c.potential + (start + v * lanes) / 2), centre_term);
    even[v] = hn::Mul(local, hn::LoadU(d, row.centre + at + v * lanes));
    odd[v] = hn::Zero(d);
    if constexpr (prefetch)
      hwy::Prefetch(reinterpret_cast<const char*>(row.up[0][3] + at + v * lanes) +
                    c.prefetch_bytes);
  }
#pragma GCC unroll 4
  for (std::size_t m = 0; m < stencil_reach; ++m)
    AddPair(row.up[0][m] + at, row.down[0][m] + at, c.stencil.laplacian[0][m],
            c.stencil.gradient[0][m], even, odd);
#pragma GCC unroll 4
  for (std::size_t m = 0; m < stencil_reach; ++m)
    AddPair(row.up[1][m] + at, row.down[1][m] + at, c.stencil.laplacian[1][m],
            c.stencil.gradient[1][m], even, odd);
#pragma GCC unroll 4
  for (std::size_t m = 0; m < stencil_reach; ++m)
    AddPair(row.centre + at + 2 * (m + 1), row.centre + at - 2 * (m + 1), c.stencil.laplacian[2][m],
            c.stencil.gradient[2][m], even, odd);
  const Vector sign = Alternating();
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v) {
    double* out = c.out + start + v * lanes;
    const Vector result = hn::MulAdd(hn::Reverse2(d, odd[v]), sign, even[v]);
    if constexpr (masked)
      hn::BlendedStore(result, mask, d, out);
    else
      hn::StoreU(result, d, out);
    if constexpr (fused) {
      double* to = c.sum + start + v * lanes;
      const Vector in = hn::LoadU(d, row.centre + at + v * lanes);
      Vector sum = hn::MulAdd(hn::Set(d, c.factor_real), in, hn::LoadU(d, to));
      sum = hn::NegMulAdd(hn::Mul(sign, hn::Set(d, c.factor_imaginary)), hn::Reverse2(d, in), sum);
      if constexpr (masked)
        hn::BlendedStore(sum, mask, d, to);
      else
        hn::StoreU(sum, d, to);
    }
  }
}

template <std::size_t count, bool fused, bool prefetch>
HWY_NOINLINE void UpdateBlocks(const Constants& c, const Row& row, std::size_t at,
                               std::size_t blocks) {
  for (; blocks > 0; --blocks, at += count * lanes) UpdateBlock<count, fused, prefetch>(c, row, at);
}

// A row of whole vectors as blocks of nearly equal size, and a vector for the rest.
template <bool fused, bool prefetch>
class RowUpdate {
 public:
  RowUpdate(const Constants& constants, std::size_t points_z)
      : constants_(constants), numbers_(2 * points_z) {
    const std::size_t vectors = numbers_ / lanes;
    rest_ = numbers_ % lanes;
    blocks_ = (vectors + most_vectors - 1) / most_vectors;
    size_ = blocks_ == 0 ? 0 : vectors / blocks_;
    larger_ = blocks_ == 0 ? 0 : vectors % blocks_;
  }

  HWY_INLINE void operator()(const Row& row) const {
    Run(size_ + 1, row, 0, larger_);
    Run(size_, row, larger_ * (size_ + 1) * lanes, blocks_ - larger_);
    if (rest_ == 0) return;
    // The last whole vector that fits, written only where no other has been.
    const Mask done = hn::FirstN(Tag(), lanes - rest_);
    UpdateBlock<1, fused, prefetch, true>(constants_, row, numbers_ - lanes, hn::Not(done));
  }

 private:
  template <std::size_t count = most_vectors>
  HWY_INLINE void Run(std::size_t size, const Row& row, std::size_t at, std::size_t blocks) const {
    if constexpr (count > 0) {
      if (size == count) return UpdateBlocks<count, fused, prefetch>(constants_, row, at, blocks);
      Run<count - 1>(size, row, at, blocks);
    }
  }

  Constants constants_;
  std::size_t numbers_, rest_, blocks_, size_, larger_;
};

template <bool fused, bool prefetch>
void UpdateRows(const Problem& p, const Constants& constants) {
  const RowUpdate<fused, prefetch> update(constants, p.grid.points[2]);
  for_rows(p, [&](const Row& row) HWY_ATTR { update(row); });
}

void Update(const Problem& p) {
  const Constants constants{p.coefficients,
                            p.potential,
                            reinterpret_cast<double*>(p.out),
                            reinterpret_cast<double*>(p.fused.sum),
                            p.fused.factor.real(),
                            p.fused.factor.imag(),
                            p.prefetch_bytes};
  const bool fused = p.fused.sum != nullptr, prefetch = p.prefetch_bytes > 0;
  if (fused)
    prefetch ? UpdateRows<true, true>(p, constants) : UpdateRows<true, false>(p, constants);
  else
    prefetch ? UpdateRows<false, true>(p, constants) : UpdateRows<false, false>(p, constants);
}

#endif  // HWY_SCALAR

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace hakaru::apps::electrons::stencil::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hakaru::apps::electrons {
namespace stencil {

HWY_EXPORT(Update);
HWY_EXPORT(TargetName);

void run_explicit(const Problem& problem) { HWY_DYNAMIC_DISPATCH(Update)(problem); }
std::string explicit_target() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace stencil

std::vector<std::string> stencil_targets() {
  std::vector<std::string> names;
  const std::int64_t before = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(0);
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.push_back(hwy::TargetName(target));
  hwy::SetSupportedTargetsForTest(before);
  return names;
}

void choose_stencil_target(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t chosen = 0;
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets())
    if (name == hwy::TargetName(target)) chosen = target;
  hwy::SetSupportedTargetsForTest(chosen);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  base::require(chosen != 0 || name.empty(),
                fmt::format("this processor has no vector target `{}`", name), "",
                fmt::format("choose one of {}", fmt::join(stencil_targets(), ", ")));
}

}  // namespace hakaru::apps::electrons
#endif  // HWY_ONCE
