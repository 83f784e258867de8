// The stage for one vector target; included once for each by kernel.cpp.
#if defined(HAKARU_MULTIBLOCK_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_MULTIBLOCK_KERNEL_INL
#undef HAKARU_MULTIBLOCK_KERNEL_INL
#else
#define HAKARU_MULTIBLOCK_KERNEL_INL
#endif

#include <algorithm>

#include "apps/multiblock_flow/flux-inl.hpp"
#include "apps/multiblock_flow/kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::multiblock_flow::HWY_NAMESPACE {

// Fluxes through `count` faces of a row; metric is the first of the four numbers of these faces.
template <class D, class Sides>
void FluxRow(D d, const Sides& sides, const double* metric, std::ptrdiff_t metric_row, int count,
             double* flux, std::ptrdiff_t flux_row) {
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    const Normal<D> normal{hn::LoadU(d, metric + i), hn::LoadU(d, metric + metric_row + i),
                           hn::LoadU(d, metric + 2 * metric_row + i),
                           hn::LoadU(d, metric + 3 * metric_row + i)};
    const Numbers<D> f = Shus(d, sides.Left(d, i), sides.Right(d, i), normal);
    for (int u = 0; u < unknowns; ++u) hn::StoreU(f.of[u], d, flux + u * flux_row + i);
  }
}

template <class D>
void PrimitiveRow(D d, const double* state, std::ptrdiff_t row, int count, double* out,
                  std::ptrdiff_t out_row) {
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    const Primitive<D> p = ToPrimitive(d, LoadNumbers(d, state + i, row));
    const hn::Vec<D> numbers[] = {p.rho, p.u, p.v, p.w, p.p, p.c, p.h};
    for (int m = 0; m < Workspace::primitive_numbers; ++m)
      hn::StoreU(numbers[m], d, out + m * out_row + i);
  }
}

// The three pairs of fluxes of a row.
struct Fluxes {
  const double *i, *j_low, *j_high, *k_low, *k_high;
  std::ptrdiff_t row;
};

// Rows of one unknown, and the fluxes around them.
struct UpdateRows {
  const double *state, *base, *i, *j_low, *j_high, *k_low, *k_high;
  double* out;
};

// The new numbers of cells i, ...
template <bool with_base, class D, class V = hn::Vec<D>>
HWY_INLINE V Updated(D d, const UpdateRows& r, int i, V factor, V keep, V take) {
  const V along_i = hn::Sub(hn::LoadU(d, r.i + i + 1), hn::LoadU(d, r.i + i));
  const V along_j = hn::Sub(hn::LoadU(d, r.j_high + i), hn::LoadU(d, r.j_low + i));
  const V along_k = hn::Sub(hn::LoadU(d, r.k_high + i), hn::LoadU(d, r.k_low + i));
  const V sum = hn::Add(hn::Add(along_i, along_j), along_k);
  const V value = hn::NegMulAdd(factor, sum, hn::LoadU(d, r.state + i));
  if constexpr (!with_base) return value;
  return hn::MulAdd(take, value, hn::Mul(keep, hn::LoadU(d, r.base + i)));
}

template <bool with_base, class D>
void UpdateRow(D d, const Stage& s, const Fluxes& f, int j, int k) {
  const int count = s.state->extents()[0], lanes = static_cast<int>(hn::Lanes(d));
  const auto keep = hn::Set(d, s.keep), take = hn::Set(d, s.take), dt = hn::Set(d, s.dt);
  const double* volume = s.metrics->at(inverse_volume, 0, j, k);
  for (int u = 0; u < unknowns; ++u) {
    const std::ptrdiff_t at = u * f.row;
    const UpdateRows rows{s.state->at(u, 0, j, k),
                          with_base ? s.base->at(u, 0, j, k) : nullptr,
                          f.i + at,
                          f.j_low + at,
                          f.j_high + at,
                          f.k_low + at,
                          f.k_high + at,
                          s.out->at(u, 0, j, k)};
    const auto factor = [&](int i) HWY_ATTR { return hn::Mul(dt, hn::LoadU(d, volume + i)); };
    int i = 0;
    for (; i + lanes <= count; i += lanes)
      hn::StoreU(Updated<with_base>(d, rows, i, factor(i), keep, take), d, rows.out + i);
    if (i < count)
      hn::BlendedStore(Updated<with_base>(d, rows, i, factor(i), keep, take),
                       hn::FirstN(d, static_cast<std::size_t>(count - i)), d, rows.out + i);
  }
}

// |u . S| + c |S| for the mean of the faces on both sides of the cells.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Waves(D d, const Primitive<D>& p, const double* low, const double* high,
                   std::ptrdiff_t row) {
  const V area[] = {hn::LoadU(d, low + 3 * row), hn::LoadU(d, high + 3 * row)};
  const V speed[] = {p.u, p.v, p.w};
  V through = hn::Zero(d);
  for (int a = 0; a < axes; ++a) {
    const V s = hn::MulAdd(hn::LoadU(d, low + a * row), area[0],
                           hn::Mul(hn::LoadU(d, high + a * row), area[1]));
    through = hn::MulAdd(s, speed[a], through);
  }
  return hn::Mul(hn::Set(d, 0.5), hn::MulAdd(p.c, hn::Add(area[0], area[1]), hn::Abs(through)));
}

template <class D>
double WavesRow(D d, const Stage& s, const Cells& state, int j, int k) {
  const Metrics& m = *s.metrics;
  const int count = state.extents()[0];
  const double *row = state.at(0, 0, j, k), *volume = m.at(inverse_volume, 0, j, k);
  const double *low[axes], *high[axes];
  int used = 0;
  for (int axis = 0; axis < axes; ++axis) {
    if (!s.has_waves[axis]) continue;
    low[used] = m.at(4 * axis, 0, j, k);
    high[used] = low[used] + m.step(axis);
    ++used;
  }
  auto largest = hn::Zero(d);
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    const auto valid = hn::FirstN(d, static_cast<std::size_t>(count - i));
    const auto p = ToPrimitive(d, LoadNumbers(d, row + i, state.row()));
    auto sum = hn::Zero(d);
    for (int axis = 0; axis < used; ++axis)
      sum = hn::Add(sum, Waves(d, p, low[axis] + i, high[axis] + i, m.row()));
    const auto lambda = hn::Mul(sum, hn::LoadU(d, volume + i));
    largest = hn::Max(largest, hn::IfThenElseZero(valid, lambda));
  }
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

// Rows of cells as they are, for faces along one axis.
template <bool limited>
struct Reconstruction {
  Reconstruction(const Stage& stage, Workspace&, const Tile&) : s(stage) {}
  void BeginPlane(int) {}
  Reconstructed<limited> Faces(int axis, int j, int k) const {
    return {s.state->at(0, 0, j, k), s.state->step(axis), s.state->row()};
  }
  const Stage& s;
};

// Primitive unknowns of each row are computed once, and kept for the faces above.
struct FirstOrder {
  FirstOrder(const Stage& stage, Workspace& workspace, const Tile& tile)
      : s(stage), w(workspace), t(tile) {
    for (int j = t.j_begin - 1; j <= t.j_end; ++j) {
      Compute(j, t.k_begin - 1);
      Compute(j, t.k_begin);
    }
  }
  // The faces above plane k are about to be taken.
  void BeginPlane(int k) {
    for (int j = t.j_begin - 1; j <= t.j_end; ++j) Compute(j, k + 1);
  }
  Stored Faces(int axis, int j, int k) const {
    const double* right = Row(j, k);
    const double* left = axis == 0 ? right - 1 : axis == 1 ? Row(j - 1, k) : Row(j, k - 1);
    return {left, right, w.row()};
  }
  void Compute(int j, int k) {
    const hn::ScalableTag<double> d;
    // From the ghost before the row to the one behind it.
    PrimitiveRow(d, s.state->at(0, -1, j, k), s.state->row(), s.state->extents()[0] + 2,
                 Row(j, k) - 1, w.row());
  }
  double* Row(int j, int k) const {
    return w.primitives((k + 1) % 2, j - t.j_begin + 1) + row_margin;
  }
  const Stage& s;
  Workspace& w;
  const Tile& t;
};

// Reads a number of each line, in order. Rows along i are too short for the processor to foresee
// them; rows of all unknowns lie side by side, and read like this they are one long stream to it.
inline void Read(const double* from, std::ptrdiff_t numbers) {
  constexpr std::ptrdiff_t line = 64 / sizeof(double);
  for (std::ptrdiff_t i = 0; i < numbers; i += line)
    (void)*static_cast<const volatile double*>(from + i);
}

// What row j takes from memory: metrics and states above plane k, and its base. Software prefetches
// instead of loads gain nothing, and so do lines that are read between the vectors of the row
// before.
inline void ReadAhead(const Stage& s, int j, int k) {
  Read(s.metrics->at(0, 0, j, k + 1), metric_numbers * s.metrics->row());
  Read(s.state->at(0, 0, j, k + 2), unknowns * s.state->row());
  if (s.keep != 0.0) Read(s.base->at(0, 0, j, k), unknowns * s.base->row());
}

// Fluxes above a row of cells become those below the next plane's by exchange of pointers.
template <class Source>
double AdvanceTile(const Stage& s, const Tile& t, Workspace& w) {
  const hn::ScalableTag<double> d;
  const Metrics& m = *s.metrics;
  const int n = s.state->extents()[0], rows = t.j_end - t.j_begin;
  Source source(s, w, t);
  const auto flux = [&](int axis, int j, int k, double* to) {
    FluxRow(d, source.Faces(axis, j, k), m.at(4 * axis, 0, j, k), m.row(), n + (axis == 0), to,
            w.row());
  };
  double* below[tile_rows];
  for (int r = 0; r < rows; ++r) flux(2, t.j_begin + r, t.k_begin, below[r] = w.flux(3 + r));
  double *spare = w.flux(3 + tile_rows), largest = 0.0;
  for (int k = t.k_begin; k < t.k_end; ++k) {
    source.BeginPlane(k);
    flux(1, t.j_begin, k, w.flux(0));
    for (int r = 0; r < rows; ++r) {
      const int j = t.j_begin + r;
      ReadAhead(s, std::min(j + 1, t.j_end - 1), k);
      const Fluxes fluxes{w.flux(2), w.flux(r % 2), w.flux((r + 1) % 2), below[r], spare, w.row()};
      flux(0, j, k, w.flux(2));
      flux(1, j + 1, k, w.flux((r + 1) % 2));
      flux(2, j, k + 1, spare);
      if (s.keep == 0.0)
        UpdateRow<false>(d, s, fluxes, j, k);
      else
        UpdateRow<true>(d, s, fluxes, j, k);
      std::swap(below[r], spare);
      if (s.waves) largest = std::max(largest, WavesRow(d, s, *s.out, j, k));
    }
  }
  return largest;
}

inline double TileWaves(const Stage& s, const Tile& t) {
  double largest = 0.0;
  for (int k = t.k_begin; k < t.k_end; ++k)
    for (int j = t.j_begin; j < t.j_end; ++j)
      largest = std::max(largest, WavesRow(hn::ScalableTag<double>(), s, *s.state, j, k));
  return largest;
}

}  // namespace hakaru::apps::multiblock_flow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
