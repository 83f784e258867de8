// Products of the stability matrix for one vector target; included once for each by kernels.cpp.
#if defined(HAKARU_SEMICLASSICAL_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_SEMICLASSICAL_PRODUCTS_INL
#undef HAKARU_SEMICLASSICAL_PRODUCTS_INL
#else
#define HAKARU_SEMICLASSICAL_PRODUCTS_INL
#endif

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::semiclassical::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
inline constexpr std::size_t lanes = hn::MaxLanes(D());

// Sums side by side: 12 of 16 registers, or 24 of 32. A panel of two tiles reads each row of the
// left matrix from the second cache once.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr int tile_columns = 6;
#else
inline constexpr int tile_columns = 3;
#endif
inline constexpr int panel = 6;

// c += factor a b of one tile; a is [row][m], of vectors or of plain numbers.
struct Product {
  const double *a, *b;
  double* c;
  std::size_t a_pitch, pitch;
  int n;
  double factor;
};

template <int rows, int columns, bool plain>
HWY_INLINE void Tile(const Product& p, int row, int column) {
  const D d;
  V sum[rows * columns];
#pragma GCC unroll 24
  for (V& one : sum) one = hn::Zero(d);
  const double* a = p.a + row * p.a_pitch * (plain ? 1 : lanes);
  const double* b = p.b + column * lanes;
  for (int m = 0; m < p.n; ++m, a += plain ? 1 : lanes, b += p.pitch * lanes) {
    V right[columns];
#pragma GCC unroll 6
    for (int j = 0; j < columns; ++j) {
      right[j] = hn::Load(d, b + j * lanes);
      HAKARU_LOADED_ONCE(right[j]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      V left = plain ? hn::Set(d, a[i * p.a_pitch]) : hn::Load(d, a + i * p.a_pitch * lanes);
      HAKARU_LOADED_ONCE(left);
#pragma GCC unroll 6
      for (int j = 0; j < columns; ++j)
        sum[i * columns + j] = hn::MulAdd(left, right[j], sum[i * columns + j]);
    }
  }
  const V factor = hn::Set(d, p.factor);
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 6
    for (int j = 0; j < columns; ++j) {
      double* c = p.c + ((row + i) * p.pitch + column + j) * lanes;
      hn::Store(hn::MulAdd(factor, sum[i * columns + j], hn::Load(d, c)), d, c);
    }
}

// Widths and heights of one are left to matrices of one: their few sums would wait for each other.
template <int rows, bool plain>
HWY_INLINE void Rows(const Product& p, int row, int begin, int end) {
  int column = begin;
  for (; end - column >= tile_columns && end - column != tile_columns + 1; column += tile_columns)
    Tile<rows, tile_columns, plain>(p, row, column);
  if (end - column == 5 || end - column == 3) {
    Tile<rows, 3, plain>(p, row, column);
    column += 3;
  }
  for (; column + 2 <= end; column += 2) Tile<rows, 2, plain>(p, row, column);
  if (column < end) Tile<rows, 1, plain>(p, row, column);
}

template <bool plain>
HWY_NOINLINE void Multiply(const Product& p, int begin, int end) {
  int row = 0;
  for (int left = p.n; left > 0; left = p.n - row) {
    if (left == 4 || left > 6) {
      Rows<4, plain>(p, row, begin, end);
      row += 4;
    } else if (left >= 3) {
      Rows<3, plain>(p, row, begin, end);
      row += 3;
    } else if (left == 2) {
      Rows<2, plain>(p, row, begin, end);
      row += 2;
    } else {
      Rows<1, plain>(p, row, begin, end);
      row += 1;
    }
  }
}

// mq += time G mp
HWY_INLINE void DriftColumns(const Shape& shape, const Batch& batch, const double* g, double time,
                             int begin, int end) {
  const D d;
  const std::size_t pitch = shape.pitch();
  if (g != nullptr) {
    const auto n = static_cast<std::size_t>(shape.n);
    Multiply<true>({g, batch.mp, batch.mq, n, pitch, shape.n, time}, begin, end);
    return;
  }
  const V factor = hn::Set(d, time);
  for (int i = 0; i < shape.n; ++i) {
    const double* p = batch.mp + i * pitch * lanes;
    double* q = batch.mq + i * pitch * lanes;
    for (std::size_t at = begin * lanes; at < end * lanes; at += lanes)
      hn::Store(hn::MulAdd(factor, hn::Load(d, p + at), hn::Load(d, q + at)), d, q + at);
  }
}

void AdvanceColumns(const Shape& shape, const Batch& batch, const double* g, const Stage& stage,
                    int begin, int end) {
  const Product second{batch.hessian, batch.mq, batch.mp,   shape.hessian_pitch(),
                       shape.pitch(), shape.n,  -stage.kick};
  for (int first = begin; first < end; first += panel) {
    const int last = std::min(first + panel, end);
    if (stage.before != 0.0) DriftColumns(shape, batch, g, stage.before, first, last);
    Multiply<false>(second, first, last);
    DriftColumns(shape, batch, g, stage.drift, first, last);
  }
}

// G p of one degree of freedom.
HWY_INLINE V Velocity(const Shape& shape, const Batch& batch, const double* g, int i) {
  const D d;
  if (g == nullptr) return hn::Load(d, batch.p + i * lanes);
  V sum = hn::Zero(d);
  for (int m = 0; m < shape.n; ++m)
    sum = hn::MulAdd(hn::Set(d, g[static_cast<std::size_t>(i) * shape.n + m]),
                     hn::Load(d, batch.p + m * lanes), sum);
  return sum;
}

void Drift(const Shape& shape, const Batch& batch, const double* g, double time) {
  const D d;
  const V factor = hn::Set(d, time);
  V twice = hn::Zero(d);
  for (int i = 0; i < shape.n; ++i) {
    const V velocity = Velocity(shape, batch, g, i);
    twice = hn::MulAdd(velocity, hn::Load(d, batch.p + i * lanes), twice);
    double* q = batch.q + i * lanes;
    hn::Store(hn::MulAdd(factor, velocity, hn::Load(d, q)), d, q);
  }
  const V kinetic = hn::Mul(hn::Set(d, 0.5), twice);
  hn::Store(kinetic, d, batch.kinetic);
  hn::Store(hn::MulAdd(factor, kinetic, hn::Load(d, batch.action)), d, batch.action);
}

void Kick(const Shape& shape, const Batch& batch, double time) {
  const D d;
  const V factor = hn::Set(d, time);
  for (std::size_t i = 0; i < shape.n * lanes; i += lanes)
    hn::Store(hn::MulAdd(factor, hn::Load(d, batch.force + i), hn::Load(d, batch.p + i)), d,
              batch.p + i);
  const V action = hn::Load(d, batch.action);
  hn::Store(hn::NegMulAdd(factor, hn::Load(d, batch.potential), action), d, batch.action);
}

void KineticEnergy(const Shape& shape, const Batch& batch, const double* g) {
  const D d;
  V twice = hn::Zero(d);
  for (int i = 0; i < shape.n; ++i)
    twice = hn::MulAdd(Velocity(shape, batch, g, i), hn::Load(d, batch.p + i * lanes), twice);
  hn::Store(hn::Mul(hn::Set(d, 0.5), twice), d, batch.kinetic);
}

}  // namespace hakaru::apps::semiclassical::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
