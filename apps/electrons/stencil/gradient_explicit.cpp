#include <algorithm>
#include <vector>

#include "apps/electrons/stencil/blocks.hpp"
#include "apps/electrons/stencil/gradient.hpp"
#include "apps/electrons/stencil/planes.hpp"
#include "apps/electrons/stencil/targets.hpp"

// The order matters: foreach_target includes this file again for every target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/electrons/stencil/gradient_explicit.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::electrons::stencil::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
GradientSums SumAhead(const Grid& grid, const Complex* in) { return sum_ahead_compiler(grid, in); }
#else

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
inline constexpr std::size_t lanes = hn::MaxLanes(Tag());

struct Sums {
  // Even lanes hold what is to be subtracted: Im conj(a) b = a_re b_im - a_im b_re.
  Vector x, y, z, norm;
};

// The four neighbours of a vector, `step` numbers apart or in four rows.
HWY_INLINE Vector Ahead(const double* const (&rows)[stencil_reach], std::size_t at,
                        const Vector (&weight)[stencil_reach]) {
  const Tag d;
  Vector sum = hn::Mul(weight[0], hn::LoadU(d, rows[0] + at));
#pragma GCC unroll 4
  for (int m = 1; m < stencil_reach; ++m)
    sum = hn::MulAdd(weight[m], hn::LoadU(d, rows[m] + at), sum);
  return sum;
}

HWY_INLINE Vector AheadAlongZ(const double* from, const Vector (&weight)[stencil_reach]) {
  const Tag d;
  Vector sum = hn::Mul(weight[0], hn::LoadU(d, from + 2));
#pragma GCC unroll 4
  for (int m = 1; m < stencil_reach; ++m)
    sum = hn::MulAdd(weight[m], hn::LoadU(d, from + 2 * (m + 1)), sum);
  return sum;
}

struct Row {
  const double* here;
  const double* x[stencil_reach];
  const double* y[stencil_reach];
};

// The vector of a row at the number `at`; its neighbours along z are read behind `along_z`.
HWY_INLINE void Add(const Row& row, std::size_t at, const double* along_z, Vector u,
                    const Vector (&weight)[stencil_reach], Sums& sums) {
  HAKARU_LOADED_ONCE(u);
  const Vector swapped = hn::Reverse2(Tag(), u);
  sums.x = hn::MulAdd(swapped, Ahead(row.x, at, weight), sums.x);
  sums.y = hn::MulAdd(swapped, Ahead(row.y, at, weight), sums.y);
  sums.z = hn::MulAdd(swapped, AheadAlongZ(along_z, weight), sums.z);
  sums.norm = hn::MulAdd(u, u, sums.norm);
}

// Along z the row itself is read, and from `numbers - reach` on the copy `edges` of its last and
// first points; without `edges` rows are padded.
HWY_INLINE void AddRow(const Row& row, const double* along_z, const double* edges,
                       std::size_t numbers, const Vector (&weight)[stencil_reach], Sums& sums) {
  const Tag d;
  const std::size_t whole = numbers - numbers % lanes;
  const std::size_t in_place = edges != nullptr ? numbers - reach_numbers : whole;
  std::size_t at = 0;
  for (; at < in_place; at += lanes)
    Add(row, at, along_z + at, hn::LoadU(d, row.here + at), weight, sums);
  for (; at < whole; at += lanes)
    Add(row, at, edges + (at - in_place), hn::LoadU(d, row.here + at), weight, sums);
  if (whole == numbers) return;
  // The last whole vector that fits, without what has been added.
  at = numbers - lanes;
  const auto done = hn::FirstN(d, whole - at);
  Add(row, at, along_z + at, hn::IfThenZeroElse(done, hn::LoadU(d, row.here + at)), weight, sums);
}

// The last four points of each row, then the first four.
void FillEnds(const double* plane, std::size_t rows, std::size_t numbers, double* edges) {
  const Tag d;
  for (std::size_t y = 0; y < rows; ++y, plane += numbers, edges += edge_pitch)
    for (std::size_t i = 0; i < reach_numbers; i += lanes) {
      hn::StoreU(hn::LoadU(d, plane + numbers - reach_numbers + i), d, edges + i);
      hn::StoreU(hn::LoadU(d, plane + i), d, edges + reach_numbers + i);
    }
}

void AddPlane(const Plane& plane, std::size_t rows, std::size_t numbers, const RowsAlongZ& along_z,
              Sums& total) {
  const Tag d;
  const Vector weight[stencil_reach] = {
      hn::Set(d, first_derivative[0]), hn::Set(d, first_derivative[1]),
      hn::Set(d, first_derivative[2]), hn::Set(d, first_derivative[3])};
  Sums sums = total;
  for (std::size_t y = 0; y < rows; ++y) {
    Row row;
    row.here = plane.here + plane.rows[y];
    for (int m = 0; m < stencil_reach; ++m) {
      row.x[m] = plane.up[m] + plane.rows[y];
      row.y[m] = plane.here + plane.rows[y + m + 1];
    }
    const double* edges = along_z.edges != nullptr ? along_z.edges + y * edge_pitch : nullptr;
    AddRow(row, along_z.first + y * along_z.pitch, edges, numbers, weight, sums);
  }
  total = sums;
}

GradientSums SumAhead(const Grid& grid, const Complex* in) {
  const Tag d;
  const std::size_t rows = grid.points[1], points = grid.points[2], numbers = 2 * points;
  Sums sums{hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  if (numbers % lanes == 0) {
    std::vector<double> edges(rows * edge_pitch);
    for_planes(grid, in, [&](const Plane& plane) {
      FillEnds(plane.here, rows, numbers, edges.data());
      AddPlane(plane, rows, numbers, {plane.here, numbers, edges.data()}, sums);
    });
  } else {
    PaddedRows padded(rows, points);
    for_planes(grid, in, [&](const Plane& plane) {
      padded.fill(plane.here);
      AddPlane(plane, rows, numbers, {padded.first(), padded.pitch(), nullptr}, sums);
    });
  }
  const Vector sign = hn::OddEven(hn::Set(d, 1.0), hn::Set(d, -1.0));
  auto signed_sum = [&](Vector v) { return hn::GetLane(hn::SumOfLanes(d, hn::Mul(sign, v))); };
  return {{signed_sum(sums.x), signed_sum(sums.y), signed_sum(sums.z)},
          hn::GetLane(hn::SumOfLanes(d, sums.norm))};
}

#endif  // HWY_SCALAR

}  // namespace hakaru::apps::electrons::stencil::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hakaru::apps::electrons::stencil {

HWY_EXPORT(SumAhead);

GradientSums sum_ahead_explicit(const Grid& grid, const Complex* in) {
  return HWY_DYNAMIC_DISPATCH(SumAhead)(grid, in);
}

}  // namespace hakaru::apps::electrons::stencil
#endif  // HWY_ONCE
