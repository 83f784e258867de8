// States at both sides of faces and the SHUS flux between them, for one vector target.
#if defined(HAKARU_MULTIBLOCK_FLUX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_MULTIBLOCK_FLUX_INL
#undef HAKARU_MULTIBLOCK_FLUX_INL
#else
#define HAKARU_MULTIBLOCK_FLUX_INL
#endif

#include <cstddef>

#include "apps/multiblock_flow/fields.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::multiblock_flow::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct Numbers {
  hn::Vec<D> of[unknowns];
};
template <class D>
struct Primitive {
  hn::Vec<D> rho, u, v, w, p, c, h;  // density, velocity, pressure, sound speed, total enthalpy
};
template <class D>
struct Normal {
  hn::Vec<D> x, y, z, area;
};

template <class D>
HWY_INLINE Numbers<D> LoadNumbers(D d, const double* from, std::ptrdiff_t row) {
  return {{hn::LoadU(d, from), hn::LoadU(d, from + row), hn::LoadU(d, from + 2 * row),
           hn::LoadU(d, from + 3 * row), hn::LoadU(d, from + 4 * row)}};
}

// p = (gamma - 1) (E - rho u^2 / 2), c^2 = gamma p / rho, H = (E + p) / rho
template <class D>
HWY_INLINE Primitive<D> ToPrimitive(D d, const Numbers<D>& q) {
  Primitive<D> s;
  const auto inverse = hn::Div(hn::Set(d, 1.0), q.of[0]);
  s.rho = q.of[0];
  s.u = hn::Mul(q.of[1], inverse), s.v = hn::Mul(q.of[2], inverse);
  s.w = hn::Mul(q.of[3], inverse);
  const auto twice_kinetic =
      hn::MulAdd(q.of[3], s.w, hn::MulAdd(q.of[2], s.v, hn::Mul(q.of[1], s.u)));
  s.p =
      hn::Mul(hn::Set(d, gamma_gas - 1.0), hn::NegMulAdd(hn::Set(d, 0.5), twice_kinetic, q.of[4]));
  s.c = hn::Sqrt(hn::Mul(hn::Mul(hn::Set(d, gamma_gas), s.p), inverse));
  s.h = hn::Mul(hn::Add(q.of[4], s.p), inverse);
  return s;
}

// Shima and Jounouchi's SHUS with c = (c_L + c_R) / 2 in both Mach numbers, through the face.
// With |M| cut at 1, (|M + 1| - |M - 1|) / 2 is M, (|M + 1| + |M - 1|) / 2 - |M| is 1 - |M|, and
// the polynomials of the pressure become 0 and 1 beyond.
template <class D>
HWY_INLINE Numbers<D> Shus(D d, const Primitive<D>& l, const Primitive<D>& r, const Normal<D>& n) {
  const auto one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), two = hn::Set(d, 2.0);
  const auto quarter = hn::Set(d, 0.25);
  const auto cut = [&](auto m) { return hn::Min(one, hn::Max(hn::Neg(one), m)); };
  const auto vl = hn::MulAdd(l.w, n.z, hn::MulAdd(l.v, n.y, hn::Mul(l.u, n.x)));
  const auto vr = hn::MulAdd(r.w, n.z, hn::MulAdd(r.v, n.y, hn::Mul(r.u, n.x)));
  const auto inverse_c = hn::Div(two, hn::Add(l.c, r.c));
  const auto mean = hn::Mul(half, hn::Add(vl, vr));
  const auto m = cut(hn::Mul(mean, inverse_c));

  auto mass = hn::MulAdd(r.rho, vr, hn::Mul(l.rho, vl));
  mass = hn::NegMulAdd(hn::Abs(mean), hn::Sub(r.rho, l.rho), mass);
  mass = hn::NegMulAdd(hn::Mul(m, hn::Mul(half, hn::Add(l.rho, r.rho))), hn::Sub(vr, vl), mass);
  const auto subsonic = hn::Mul(hn::Sub(one, hn::Abs(m)), inverse_c);
  mass = hn::NegMulAdd(subsonic, hn::Sub(r.p, l.p), mass);
  mass = hn::Mul(hn::Mul(half, n.area), mass);

  const auto ml = cut(hn::Mul(vl, inverse_c)), mr = cut(hn::Mul(vr, inverse_c));
  const auto up = hn::Add(ml, one), down = hn::Sub(mr, one);
  const auto share_l = hn::Mul(hn::Sub(two, ml), hn::Mul(up, up));
  const auto share_r = hn::Mul(hn::Add(two, mr), hn::Mul(down, down));
  const auto pressure =
      hn::Mul(hn::Mul(quarter, n.area), hn::MulAdd(share_l, l.p, hn::Mul(share_r, r.p)));
  const auto forward = hn::Max(mass, hn::Zero(d)), backward = hn::Min(mass, hn::Zero(d));
  const auto carried = [&](auto left, auto right) {
    return hn::MulAdd(backward, right, hn::Mul(forward, left));
  };
  return {{mass, hn::MulAdd(pressure, n.x, carried(l.u, r.u)),
           hn::MulAdd(pressure, n.y, carried(l.v, r.v)),
           hn::MulAdd(pressure, n.z, carried(l.w, r.w)), carried(l.h, r.h)}};
}

// Primitive unknowns that were computed before.
struct Stored {
  const double *left, *right;
  std::ptrdiff_t row;

  template <class D>
  HWY_INLINE Primitive<D> Load(D d, const double* from) const {
    return {hn::LoadU(d, from),           hn::LoadU(d, from + row),
            hn::LoadU(d, from + 2 * row), hn::LoadU(d, from + 3 * row),
            hn::LoadU(d, from + 4 * row), hn::LoadU(d, from + 5 * row),
            hn::LoadU(d, from + 6 * row)};
  }
  template <class D>
  HWY_INLINE Primitive<D> Left(D d, int i) const {
    return Load(d, left + i);
  }
  template <class D>
  HWY_INLINE Primitive<D> Right(D d, int i) const {
    return Load(d, right + i);
  }
};

// Conserved unknowns at the face of the middle one of three cells, kappa = 1/3:
// q + s/4 [(1 - s/3) (q - back) + (1 + s/3) (ahead - q)], s = 1 without limiter, else van Albada's.
template <bool limited, class D, class V = hn::Vec<D>>
HWY_INLINE V AtFace(D d, V back, V here, V ahead) {
  const V behind = hn::Sub(here, back), before = hn::Sub(ahead, here);
  if constexpr (!limited)
    return hn::MulAdd(hn::Set(d, 1.0 / 6.0), behind,
                      hn::MulAdd(hn::Set(d, 1.0 / 3.0), before, here));
  const V tiny = hn::Set(d, 1e-12);
  const V squares = hn::MulAdd(behind, behind, hn::MulAdd(before, before, tiny));
  const V product = hn::MulAdd(hn::Mul(hn::Set(d, 2.0), behind), before, tiny);
  const V s = hn::Max(hn::Zero(d), hn::Div(product, squares));
  const V third = hn::Mul(s, hn::Set(d, 1.0 / 3.0)), one = hn::Set(d, 1.0);
  const V change = hn::MulAdd(hn::Sub(one, third), behind, hn::Mul(hn::Add(one, third), before));
  return hn::MulAdd(hn::Mul(s, hn::Set(d, 0.25)), change, here);
}

template <bool limited>
struct Reconstructed {
  const double* right;  // the cell above the face
  std::ptrdiff_t step, row;

  template <class D>
  HWY_INLINE Primitive<D> Side(D d, const double* back, const double* here,
                               const double* ahead) const {
    Numbers<D> q;
#pragma GCC unroll 5
    for (int u = 0; u < unknowns; ++u)
      q.of[u] = AtFace<limited>(d, hn::LoadU(d, back + u * row), hn::LoadU(d, here + u * row),
                                hn::LoadU(d, ahead + u * row));
    return ToPrimitive(d, q);
  }
  template <class D>
  HWY_INLINE Primitive<D> Left(D d, int i) const {
    const double* at = right + i;
    return Side(d, at - 2 * step, at - step, at);
  }
  template <class D>
  HWY_INLINE Primitive<D> Right(D d, int i) const {
    const double* at = right + i;
    return Side(d, at + step, at, at - step);
  }
};

}  // namespace hakaru::apps::multiblock_flow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
