#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "apps/electrons/stencil/blocks.hpp"
#include "apps/electrons/stencil/planes.hpp"
#include "apps/electrons/stencil/targets.hpp"
#include "native/base/require.hpp"

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

// Vectors at an end of a row that reach beyond it.
inline constexpr std::size_t edge_vectors = reach_numbers / lanes;

HWY_INLINE void AddPair(Vector above, Vector below, Vector l, Vector g, Vector& even, Vector& odd) {
  HAKARU_LOADED_ONCE(above);
  HAKARU_LOADED_ONCE(below);
  even = hn::MulAdd(l, hn::Add(above, below), even);
  odd = hn::MulAdd(g, hn::Sub(above, below), odd);
}

template <std::size_t count>
HWY_INLINE void AddPairs(const double* up, const double* down, double laplacian, double gradient,
                         Vector (&even)[count], Vector (&odd)[count]) {
  const Tag d;
  const Vector l = hn::Set(d, laplacian), g = hn::Set(d, gradient);
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v)
    AddPair(hn::LoadU(d, up + v * lanes), hn::LoadU(d, down + v * lanes), l, g, even[v], odd[v]);
}

// The neighbours along z at `distance` numbers of a block that is the first, the last, both or
// neither of its row.
template <std::size_t count, bool first, bool last>
HWY_INLINE void AddPairsAlongZ(const double* row, const double* edges, std::size_t distance,
                               double laplacian, double gradient, Vector (&even)[count],
                               Vector (&odd)[count]) {
  const Tag d;
  const Vector l = hn::Set(d, laplacian), g = hn::Set(d, gradient);
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v) {
    const bool above_is_edge = last && v + edge_vectors >= count;
    const bool below_is_edge = first && v < edge_vectors;
    const double* up =
        above_is_edge ? edges + reach_numbers - (count - v) * lanes : row + v * lanes;
    const double* down = below_is_edge ? edges + reach_numbers + v * lanes : row + v * lanes;
    AddPair(hn::LoadU(d, up + distance), hn::LoadU(d, down - distance), l, g, even[v], odd[v]);
  }
}

// +1 -1 +1 -1 ...
HWY_INLINE Vector Alternating() {
  const Tag d;
  return hn::OddEven(hn::Set(d, -1.0), hn::Set(d, 1.0));
}

template <bool masked>
HWY_INLINE void Write(Vector value, Mask mask, double* to) {
  const Tag d;
  if constexpr (masked)
    hn::BlendedStore(value, mask, d, to);
  else
    hn::StoreU(value, d, to);
}

// `count` vectors of the row y that begin at the number `at`; of a masked one only the lanes of
// `mask` are written.
template <std::size_t count, bool first, bool last, bool masked>
HWY_INLINE void UpdateBlock(const Constants& c, const StencilCoefficients& s, const Plane& plane,
                            const RowsAlongZ& along_z, std::size_t y, std::size_t at, Mask mask) {
  const Tag d;
  const std::size_t row = plane.rows[y] + at, start = 2 * plane.start + row;
  const Vector centre_term = hn::Set(d, s.centre);
  Vector even[count], odd[count];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v) {
    const Vector local = hn::Add(LoadTwice(c.potential + start / 2 + v * lanes / 2), centre_term);
    even[v] = hn::Mul(local, hn::LoadU(d, plane.here + row + v * lanes));
    odd[v] = hn::Zero(d);
  }
  if (c.prefetch_bytes > 0)
    for (std::size_t v = 0; v < count; ++v)
      hwy::Prefetch(reinterpret_cast<const char*>(plane.up[stencil_reach - 1] + row + v * lanes) +
                    c.prefetch_bytes);
#pragma GCC unroll 4
  for (int m = 0; m < stencil_reach; ++m)
    AddPairs(plane.up[m] + row, plane.down[m] + row, s.laplacian[0][m], s.gradient[0][m], even,
             odd);
  const double* here = plane.here + at;
  const std::size_t* rows = plane.rows + y;
#pragma GCC unroll 4
  for (int m = 0; m < stencil_reach; ++m)
    AddPairs(here + rows[m + 1], here + rows[-m - 1], s.laplacian[1][m], s.gradient[1][m], even,
             odd);
  const double* row_along_z = along_z.first + y * along_z.pitch + at;
  const double* edges = first || last ? along_z.edges + y * edge_pitch : nullptr;
#pragma GCC unroll 4
  for (int m = 0; m < stencil_reach; ++m)
    AddPairsAlongZ<count, first, last>(row_along_z, edges, 2 * (m + 1), s.laplacian[2][m],
                                       s.gradient[2][m], even, odd);
  const Vector sign = Alternating();
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v)
    Write<masked>(hn::MulAdd(hn::Reverse2(d, odd[v]), sign, even[v]), mask,
                  c.out + start + v * lanes);
  if (c.sum == nullptr) return;
  const Vector factor_real = hn::Set(d, c.factor.real());
  const Vector factor_imaginary = hn::Mul(sign, hn::Set(d, -c.factor.imag()));
#pragma GCC unroll 8
  for (std::size_t v = 0; v < count; ++v) {
    const Vector in = hn::LoadU(d, plane.here + row + v * lanes);
    double* to = c.sum + start + v * lanes;
    const Vector sum = hn::MulAdd(factor_real, in, hn::LoadU(d, to));
    Write<masked>(hn::MulAdd(factor_imaginary, hn::Reverse2(d, in), sum), mask, to);
  }
}

// One block of every row of a plane. The copies stay in registers: no store can change them.
template <std::size_t count, bool first, bool last, bool masked = false>
HWY_NOINLINE void UpdateColumn(const Constants& c, const Plane& plane, const RowsAlongZ& along_z,
                               std::size_t at, Mask mask = Mask()) {
  const StencilCoefficients stencil = c.stencil;
  const Constants constants = c;
  const Plane p = plane;
  for (std::size_t y = 0; y < c.rows; ++y)
    UpdateBlock<count, first, last, masked>(constants, stencil, p, along_z, y, at, mask);
}

template <std::size_t count = most_vectors>
HWY_INLINE void UpdateColumnOf(std::size_t vectors, bool first, bool last, const Constants& c,
                               const Plane& plane, const RowsAlongZ& along_z, std::size_t at) {
  if constexpr (count > 0) {
    if (vectors < count)
      return UpdateColumnOf<count - 1>(vectors, first, last, c, plane, along_z, at);
    if constexpr (count >= edge_vectors) {
      if (first && last) return UpdateColumn<count, true, true>(c, plane, along_z, at);
      if (first) return UpdateColumn<count, true, false>(c, plane, along_z, at);
      if (last) return UpdateColumn<count, false, true>(c, plane, along_z, at);
    }
    UpdateColumn<count, false, false>(c, plane, along_z, at);
  }
}

// Rows of whole vectors as blocks of nearly equal size.
void UpdatePlane(const Constants& c, const Plane& plane, const RowsAlongZ& along_z,
                 std::size_t numbers) {
  const bool edges = along_z.edges != nullptr;
  std::size_t vectors = numbers / lanes, at = 0;
  for (std::size_t blocks = (vectors + most_vectors - 1) / most_vectors; blocks > 0; --blocks) {
    const std::size_t count = (vectors + blocks - 1) / blocks;
    UpdateColumnOf(count, edges && at == 0, edges && blocks == 1, c, plane, along_z, at);
    vectors -= count;
    at += count * lanes;
  }
  const std::size_t rest = numbers % lanes;
  if (rest == 0) return;
  // The last whole vector that fits, written only where no other has been.
  const Mask done = hn::FirstN(Tag(), lanes - rest);
  UpdateColumn<1, false, false, true>(c, plane, along_z, numbers - lanes, hn::Not(done));
}

void FillEdges(const double* plane, std::size_t rows, std::size_t numbers, double* edges) {
  const Tag d;
  for (std::size_t y = 0; y < rows; ++y, plane += numbers, edges += edge_pitch)
    for (std::size_t i = 0; i < reach_numbers; i += lanes) {
      hn::StoreU(hn::LoadU(d, plane + numbers - reach_numbers + i), d, edges + i);
      hn::StoreU(hn::LoadU(d, plane + i), d, edges + reach_numbers + i);
    }
}

void Update(const Problem& p) {
  const std::size_t rows = p.grid.points[1], points = p.grid.points[2], numbers = 2 * points;
  const Constants constants{p.coefficients,
                            p.potential,
                            reinterpret_cast<double*>(p.out),
                            reinterpret_cast<double*>(p.fused.sum),
                            p.fused.factor,
                            p.prefetch_bytes,
                            rows};
  // Blocks must hold the vectors that reach beyond the row.
  const bool in_place = numbers % lanes == 0 && edge_vectors <= 2;
  if (in_place) {
    std::vector<double> edges(rows * edge_pitch);
    for_planes(p.grid, p.in, [&](const Plane& plane) {
      FillEdges(plane.here, rows, numbers, edges.data());
      UpdatePlane(constants, plane, {plane.here, numbers, edges.data()}, numbers);
    });
  } else {
    PaddedRows padded(rows, points);
    for_planes(p.grid, p.in, [&](const Plane& plane) {
      padded.fill(plane.here);
      UpdatePlane(constants, plane, {padded.first(), padded.pitch(), nullptr}, numbers);
    });
  }
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
