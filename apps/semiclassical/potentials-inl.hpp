// Potentials with first and second derivatives for one vector target (formulas: model.hpp);
// included once for each by kernels.cpp.
#if defined(HAKARU_SEMICLASSICAL_POTENTIALS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_SEMICLASSICAL_POTENTIALS_INL
#undef HAKARU_SEMICLASSICAL_POTENTIALS_INL
#else
#define HAKARU_SEMICLASSICAL_POTENTIALS_INL
#endif

#include "apps/semiclassical/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::semiclassical::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where results go. Second derivatives that are always zero are never written: they are zero from
// the beginning.
struct Derivatives {
  const Shape& shape;
  const Batch& batch;
  V Q(int i) const { return hn::Load(D(), batch.q + i * lanes); }
  void SetForce(int i, V v) const { hn::Store(v, D(), batch.force + i * lanes); }
  void AddForce(int i, V v) const {
    SetForce(i, hn::Add(v, hn::Load(D(), batch.force + i * lanes)));
  }
  double* Second(int i, int j) const {
    return batch.hessian + (i * shape.hessian_pitch() + j) * lanes;
  }
  void Set(int i, int j, V v) const {
    hn::Store(v, D(), Second(i, j));
    hn::Store(v, D(), Second(j, i));
  }
  void AddDiagonal(int i, int j, V v) const {
    hn::Store(hn::Add(v, hn::Load(D(), Second(i, j))), D(), Second(i, j));
  }
  void SetPotential(V v) const { hn::Store(v, D(), batch.potential); }
};

void HenonHeiles(const Model& model, const Derivatives& to) {
  const D d;
  const V c = hn::Set(d, model.coupling), two_c = hn::Set(d, 2.0 * model.coupling);
  const V half = hn::Set(d, 0.5), one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3.0);
  V v = hn::Zero(d), last = hn::Zero(d);
  for (int k = 0; k < model.n; ++k) {
    const V q = to.Q(k), square = hn::Mul(q, q);
    V slope = q, second = one;
    v = hn::MulAdd(half, square, v);
    if (k > 0) {  // the pair before, c (last^2 q - q^3 / 3)
      v = hn::MulAdd(hn::Mul(c, q), hn::NegMulAdd(third, square, hn::Mul(last, last)), v);
      slope = hn::MulAdd(c, hn::MulSub(last, last, square), slope);
      second = hn::NegMulAdd(two_c, q, second);
    }
    if (k + 1 < model.n) {
      const V next = to.Q(k + 1), cross = hn::Mul(two_c, q);
      slope = hn::MulAdd(cross, next, slope);
      second = hn::MulAdd(two_c, next, second);
      to.Set(k, k + 1, cross);
    }
    to.SetForce(k, hn::Neg(slope));
    hn::Store(second, d, to.Second(k, k));
    last = q;
  }
  to.SetPotential(v);
}

void Morse(const Model& model, const Derivatives& to) {
  const D d;
  const V depth = hn::Set(d, model.depth), range = hn::Set(d, model.range);
  const V one = hn::Set(d, 1.0), two = hn::Set(d, 2.0);
  const V coupling = hn::Set(d, model.coupling), quarter = hn::Set(d, 0.25);
  V v = hn::Zero(d);
  for (int k = 0; k < model.n; ++k) {
    const V e = hn::Exp(d, hn::Neg(hn::Mul(range, to.Q(k)))), rest = hn::Sub(one, e);
    v = hn::MulAdd(depth, hn::Mul(rest, rest), v);
    const V factor = hn::Mul(hn::Mul(two, depth), hn::Mul(range, e));  // 2 D a e
    to.SetForce(k, hn::Neg(hn::Mul(factor, rest)));
    hn::Store(hn::Mul(hn::Mul(factor, range), hn::MulSub(two, e, one)), d, to.Second(k, k));
  }
  for (int k = 0; k + 1 < model.n; ++k) {
    const V x = hn::Sub(to.Q(k + 1), to.Q(k)), square = hn::Mul(x, x);
    v = hn::MulAdd(hn::Mul(quarter, coupling), hn::Mul(square, square), v);
    const V slope = hn::Mul(coupling, hn::Mul(square, x));
    const V second = hn::Mul(hn::Mul(hn::Set(d, 3.0), coupling), square);
    to.AddForce(k, slope), to.AddForce(k + 1, hn::Neg(slope));
    to.AddDiagonal(k, k, second), to.AddDiagonal(k + 1, k + 1, second);
    to.Set(k, k + 1, hn::Neg(second));
  }
  to.SetPotential(v);
}

// With s = r^2: dV/ds = -12 (2 s^-6 - s^-3) / s, d2V/ds2 = (168 s^-6 - 48 s^-3) / s^2.
HWY_INLINE V Pair(const Derivatives& to, int a, int b, V v) {
  const D d;
  V x[3];
  for (int i = 0; i < 3; ++i) x[i] = hn::Sub(to.Q(a + i), to.Q(b + i));
  const V s = hn::MulAdd(x[2], x[2], hn::MulAdd(x[1], x[1], hn::Mul(x[0], x[0])));
  const V inverse = hn::Div(hn::Set(d, 1.0), s);
  const V r6 = hn::Mul(inverse, hn::Mul(inverse, inverse)), r12 = hn::Mul(r6, r6);
  const V slope =
      hn::Mul(hn::Mul(hn::Set(d, -24.0), inverse), hn::Sub(hn::Add(r12, r12), r6));  // 2 dV/ds
  const V curve = hn::Mul(hn::Mul(inverse, inverse),
                          hn::MulSub(hn::Set(d, 672.0), r12, hn::Mul(hn::Set(d, 192.0), r6)));
  for (int i = 0; i < 3; ++i) {
    const V f = hn::Mul(slope, x[i]), row = hn::Mul(curve, x[i]);
    to.AddForce(a + i, hn::Neg(f)), to.AddForce(b + i, f);
    for (int j = 0; j < 3; ++j) {
      const V second = i == j ? hn::MulAdd(row, x[j], slope) : hn::Mul(row, x[j]);
      to.Set(a + i, b + j, hn::Neg(second));
      to.AddDiagonal(a + i, a + j, second), to.AddDiagonal(b + i, b + j, second);
    }
  }
  return hn::MulAdd(hn::Set(d, 4.0), hn::Sub(r12, r6), v);
}

void LennardJones(const Model& model, const Derivatives& to) {
  const V zero = hn::Zero(D());
  for (int a = 0; a < model.n; a += 3)
    for (int i = 0; i < 3; ++i) {
      to.SetForce(a + i, zero);
      for (int j = 0; j < 3; ++j) hn::Store(zero, D(), to.Second(a + i, a + j));
    }
  V v = zero;
  for (int a = 0; a < model.n; a += 3)
    for (int b = 0; b < a; b += 3) v = Pair(to, a, b, v);
  to.SetPotential(v);
}

void Evaluate(const Model& model, const Shape& shape, const Batch& batch) {
  const Derivatives to{shape, batch};
  switch (model.potential) {
    case Potential::henon_heiles:
      return HenonHeiles(model, to);
    case Potential::morse:
      return Morse(model, to);
    default:
      return LennardJones(model, to);
  }
}

}  // namespace hakaru::apps::semiclassical::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
