// Half spinors for one vector target; included once for each.
#if defined(HAKARU_LATTICE_QCD_HALF_SPINORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_LATTICE_QCD_HALF_SPINORS_INL
#undef HAKARU_LATTICE_QCD_HALF_SPINORS_INL
#else
#define HAKARU_LATTICE_QCD_HALF_SPINORS_INL
#endif

#include "apps/lattice_qcd/hopping.hpp"
#include "apps/lattice_qcd/lattice.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// (1 -+ g_mu) has rank two: of spin s < 2 it needs u_s + i^phase l_partner, and what it gives to
// the lower components follows from that by the conjugate phase.
struct Mix {
  int partner, phase;
};
constexpr Mix MixOf(int axis, int spin, bool plus) {
  constexpr Mix minus[axes][2] = {
      {{1, 1}, {0, 1}}, {{1, 0}, {0, 2}}, {{0, 1}, {1, 3}}, {{0, 0}, {1, 0}}};
  const Mix mix = minus[axis][spin];
  return {mix.partner, (mix.phase + (plus ? 2 : 0)) % 4};
}
constexpr int Conjugate(int phase) { return (4 - phase) % 4; }

// re += Re(i^phase b), im += Im(i^phase b)
template <int phase, class V>
HWY_INLINE void AddTurned(V& re, V& im, V b_re, V b_im) {
  if constexpr (phase == 0) re = hn::Add(re, b_re), im = hn::Add(im, b_im);
  if constexpr (phase == 1) re = hn::Sub(re, b_im), im = hn::Add(im, b_re);
  if constexpr (phase == 2) re = hn::Sub(re, b_re), im = hn::Sub(im, b_im);
  if constexpr (phase == 3) re = hn::Add(re, b_im), im = hn::Sub(im, b_re);
}

// One colour of one spin of a half spinor.
template <class D>
struct Number {
  hn::Vec<D> re, im;
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE Number<D> Read(D d, const T* at) {
  return {hn::Load(d, at), hn::Load(d, at + hn::MaxLanes(D()))};
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void Write(D d, const Number<D>& number, T* at) {
  hn::Store(number.re, d, at);
  hn::Store(number.im, d, at + hn::MaxLanes(D()));
}

// Half spinors of one direction, from the spinor of a neighbouring site.
template <int axis, bool plus>
struct Projected {
  template <int spin, int colour, class D, class T = hn::TFromD<D>>
  HWY_INLINE static Number<D> Get(D d, const T* site) {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    constexpr Mix mix = MixOf(axis, spin, plus);
    const T* upper = site + (6 * spin + 2 * colour) * lanes;
    const T* lower = site + (6 * (2 + mix.partner) + 2 * colour) * lanes;
    Number<D> h = Read(d, upper);
    AddTurned<mix.phase>(h.re, h.im, hn::Load(d, lower), hn::Load(d, lower + lanes));
    return h;
  }
};

// Half spinors that were made before.
struct Stored {
  template <int spin, int colour, class D, class T = hn::TFromD<D>>
  HWY_INLINE static Number<D> Get(D d, const T* half_spinor) {
    return Read(d, half_spinor + (6 * spin + 2 * colour) * hn::MaxLanes(D()));
  }
};

// Lanes of the two halves of an axis change places: lane ^ (1 << bit).
template <class D>
struct Exchange {
  decltype(hn::SetTableIndices(
      D(), static_cast<const hwy::MakeSigned<hn::TFromD<D>>*>(nullptr))) indices;

  Exchange(D d, int bit) : indices(IndicesOf(d, bit)) {}
  static auto IndicesOf(D d, int bit) {
    using Index = hwy::MakeSigned<hn::TFromD<D>>;
    HWY_ALIGN Index lane[16];
    for (int i = 0; i < 16; ++i) lane[i] = static_cast<Index>(bit < 0 ? i : i ^ (1 << bit));
    for (std::size_t i = hn::MaxLanes(d); i < 16; ++i) lane[i] = 0;
    return hn::SetTableIndices(d, lane);
  }
  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D> v) const { return hn::TableLookupLanes(v, indices); }
};

// Calls `with` with the vector type of so many lanes.
template <class T, class With>
HWY_INLINE void ByLanes(int lanes, const With& with) {
  constexpr std::size_t most = hn::MaxLanes(hn::ScalableTag<T>());
  if constexpr (most >= 16)
    if (lanes == 16) return with(hn::CappedTag<T, 16>());
  if constexpr (most >= 8)
    if (lanes == 8) return with(hn::CappedTag<T, 8>());
  if constexpr (most >= 4)
    if (lanes == 4) return with(hn::CappedTag<T, 4>());
  HAKARU_EXPECTS(lanes == 1);
  with(hn::CappedTag<T, 1>());
}

}  // namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
