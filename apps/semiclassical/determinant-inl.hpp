// Determinants of complex matrices, one a lane, for one vector target; included once for each by
// kernels.cpp.
#if defined(HAKARU_SEMICLASSICAL_DETERMINANT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_SEMICLASSICAL_DETERMINANT_INL
#undef HAKARU_SEMICLASSICAL_DETERMINANT_INL
#else
#define HAKARU_SEMICLASSICAL_DETERMINANT_INL
#endif

#include <utility>

#include "apps/semiclassical/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::semiclassical::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of real and of imaginary parts.
struct Matrix {
  double *re, *im;
  std::size_t pitch;  // vectors
  double* Re(int row) const { return re + row * pitch * lanes; }
  double* Im(int row) const { return im + row * pitch * lanes; }
};

HWY_INLINE void MakeMatrix(const Shape& shape, const Batch& batch, double hbar_width,
                           const Matrix& to) {
  const D d;
  const V half = hn::Set(d, 0.5), forward = hn::Set(d, -0.5 * hbar_width),
          back = hn::Set(d, 0.5 / hbar_width);
  const std::size_t n = shape.n, half_row = n * lanes;
  for (int i = 0; i < shape.n; ++i) {
    const double *q = batch.mq + i * shape.pitch() * lanes,
                 *p = batch.mp + i * shape.pitch() * lanes;
    double *re = to.Re(i), *im = to.Im(i);
    for (std::size_t at = 0; at < half_row; at += lanes) {
      const V qq = hn::Load(d, q + at), qp = hn::Load(d, q + half_row + at);
      const V pq = hn::Load(d, p + at), pp = hn::Load(d, p + half_row + at);
      hn::Store(hn::Mul(half, hn::Add(qq, pp)), d, re + at);
      hn::Store(hn::MulAdd(forward, qp, hn::Mul(back, pq)), d, im + at);
    }
  }
}

// row -= w v with w = factor (row v^H); v from column k on.
HWY_INLINE void Reflect(double* re, double* im, const double* v_re, const double* v_im, int k,
                        int n, V factor) {
  const D d;
  V sum_re[2] = {hn::Zero(d), hn::Zero(d)}, sum_im[2] = {hn::Zero(d), hn::Zero(d)};
  for (std::size_t at = k * lanes; at < n * lanes; at += lanes) {
    const V a = hn::Load(d, re + at), b = hn::Load(d, im + at);
    const V c = hn::Load(d, v_re + at), e = hn::Load(d, v_im + at);
    sum_re[0] = hn::MulAdd(a, c, sum_re[0]);
    sum_re[1] = hn::MulAdd(b, e, sum_re[1]);
    sum_im[0] = hn::MulAdd(b, c, sum_im[0]);
    sum_im[1] = hn::MulAdd(a, e, sum_im[1]);
  }
  const V w_re = hn::Mul(factor, hn::Add(sum_re[0], sum_re[1]));
  const V w_im = hn::Mul(factor, hn::Sub(sum_im[0], sum_im[1]));
  for (std::size_t at = k * lanes; at < n * lanes; at += lanes) {
    const V c = hn::Load(d, v_re + at), e = hn::Load(d, v_im + at);
    const V a = hn::NegMulAdd(w_re, c, hn::Load(d, re + at));
    const V b = hn::NegMulAdd(w_re, e, hn::Load(d, im + at));
    hn::Store(hn::MulAdd(w_im, e, a), d, re + at);
    hn::Store(hn::NegMulAdd(w_im, c, b), d, im + at);
  }
}

// The row x becomes -u |x| e_k, u = x_k / |x_k|, by 1 - v^H v / (|x|^2 + |x_k| |x|) with
// v = x + u |x| e_k, whose determinant is -1: so u |x| is this row's factor of the determinant.
struct Row {
  V norm, u_re, u_im, factor;
};
HWY_INLINE Row PrepareRow(double* re, double* im, int k, int n) {
  const D d;
  V square = hn::Zero(d);
  for (std::size_t at = k * lanes; at < n * lanes; at += lanes) {
    const V a = hn::Load(d, re + at), b = hn::Load(d, im + at);
    square = hn::MulAdd(a, a, hn::MulAdd(b, b, square));
  }
  const V one = hn::Set(d, 1.0), x_re = hn::Load(d, re + k * lanes),
          x_im = hn::Load(d, im + k * lanes);
  const V size = hn::Sqrt(hn::MulAdd(x_re, x_re, hn::Mul(x_im, x_im)));
  const auto zero = hn::Eq(size, hn::Zero(d));
  Row row;
  row.norm = hn::Sqrt(square);
  row.u_re = hn::IfThenElse(zero, one, hn::Div(x_re, size));
  row.u_im = hn::IfThenElse(zero, hn::Zero(d), hn::Div(x_im, size));
  row.factor = hn::Div(one, hn::MulAdd(size, row.norm, square));
  hn::Store(hn::MulAdd(row.u_re, row.norm, x_re), d, re + k * lanes);
  hn::Store(hn::MulAdd(row.u_im, row.norm, x_im), d, im + k * lanes);
  return row;
}

void FindDeterminant(const Shape& shape, const Batch& batch, double hbar_width, double* memory,
                     Determinant& result) {
  const D d;
  const int n = shape.n;
  const std::size_t pitch = static_cast<std::size_t>(n) | 1;
  const Matrix matrix{memory, memory + n * pitch * lanes, pitch};
  MakeMatrix(shape, batch, hbar_width, matrix);
  V log = hn::Zero(d), re = hn::Set(d, 1.0), im = hn::Zero(d);
  for (int k = 0; k < n; ++k) {
    const Row row = PrepareRow(matrix.Re(k), matrix.Im(k), k, n);
    for (int i = k + 1; i < n; ++i)
      Reflect(matrix.Re(i), matrix.Im(i), matrix.Re(k), matrix.Im(k), k, n, row.factor);
    log = hn::Add(log, hn::Log(d, row.norm));
    const V turned = hn::MulSub(re, row.u_re, hn::Mul(im, row.u_im));
    im = hn::MulAdd(re, row.u_im, hn::Mul(im, row.u_re));
    re = turned;
  }
  hn::Store(log, d, result.log_magnitude);
  hn::Store(re, d, result.re);
  hn::Store(im, d, result.im);
}

}  // namespace hakaru::apps::semiclassical::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
