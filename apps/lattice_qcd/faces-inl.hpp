// Faces for neighbouring ranks for one vector target; included once for each by hopping.cpp.
#if defined(HAKARU_LATTICE_QCD_FACES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_LATTICE_QCD_FACES_INL
#undef HAKARU_LATTICE_QCD_FACES_INL
#else
#define HAKARU_LATTICE_QCD_FACES_INL
#endif

#include "apps/lattice_qcd/half_spinors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int direction, bool dagger, class D, class T = hn::TFromD<D>>
HWY_INLINE void PackSite(D d, const Faces<T>& f, const Exchange<D>& exchange, hn::Mask<D> of_others,
                         std::int64_t i) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  // It is received from the opposite direction, and projected as the receiver needs it.
  constexpr int axis = direction / 2;
  constexpr bool plus = (direction % 2 == 0) != dagger;
  using From = Projected<axis, plus>;
  const T* site = f.in + f.sites[i] * spinor_numbers * lanes;
  T* message = f.message + i * message_numbers(lanes, f.lane_bit);
  const Number<D> h[6] = {From::template Get<0, 0>(d, site), From::template Get<0, 1>(d, site),
                          From::template Get<0, 2>(d, site), From::template Get<1, 0>(d, site),
                          From::template Get<1, 1>(d, site), From::template Get<1, 2>(d, site)};
  if (f.lane_bit < 0) {
    for (int n = 0; n < 6; ++n) Write(d, h[n], message + 2 * n * lanes);
    return;
  }
  T* own = f.ghosts + i * half_spinor_numbers * lanes;
  for (int n = 0; n < 6; ++n) {
    const Number<D> turned{exchange(h[n].re), exchange(h[n].im)};
    Write(d, turned, own + 2 * n * lanes);
    // The imaginary parts that others need travel in the lanes that they do not need.
    hn::Store(hn::IfThenElse(of_others, turned.re, h[n].im), d, message + n * lanes);
  }
}

// Lanes that another rank gives: those at the end of the box in the direction it is received from.
template <class D>
hn::Mask<D> OfOthers(D d, int direction, int lane_bit) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T flags[16] = {};
  const int wanted = direction % 2 == 0 ? 0 : 1;
  for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane)
    flags[lane] = lane_bit < 0 || (static_cast<int>(lane) >> lane_bit & 1) == wanted ? T(1) : T(0);
  return hn::Gt(hn::Load(d, flags), hn::Zero(d));
}

template <int direction, class D, class T = hn::TFromD<D>>
void PackDirection(D d, const Faces<T>& f, std::int64_t begin, std::int64_t end) {
  const Exchange<D> exchange(d, f.lane_bit);
  const hn::Mask<D> of_others = OfOthers(d, direction, f.lane_bit);
  for (std::int64_t i = begin; i < end; ++i)
    f.dagger ? PackSite<direction, true>(d, f, exchange, of_others, i)
             : PackSite<direction, false>(d, f, exchange, of_others, i);
}

template <class T>
void Pack(const Faces<T>& f, std::int64_t begin, std::int64_t end) {
  ByLanes<T>(f.lanes, [&](auto d) {
    switch (f.direction) {
      case 0:
        return PackDirection<0>(d, f, begin, end);
      case 1:
        return PackDirection<1>(d, f, begin, end);
      case 2:
        return PackDirection<2>(d, f, begin, end);
      case 3:
        return PackDirection<3>(d, f, begin, end);
      case 4:
        return PackDirection<4>(d, f, begin, end);
      case 5:
        return PackDirection<5>(d, f, begin, end);
      case 6:
        return PackDirection<6>(d, f, begin, end);
      default:
        return PackDirection<7>(d, f, begin, end);
    }
  });
}

template <class T>
void Unpack(const Faces<T>& f, std::int64_t begin, std::int64_t end) {
  ByLanes<T>(f.lanes, [&](auto d) {
    using D = decltype(d);
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const Exchange<D> exchange(d, f.lane_bit);
    const hn::Mask<D> of_others = OfOthers(d, f.direction, f.lane_bit);
    for (std::int64_t i = begin; i < end; ++i) {
      T* own = f.ghosts + i * half_spinor_numbers * lanes;
      const T* message = f.message + i * message_numbers(lanes, f.lane_bit);
      if (f.lane_bit < 0) {
        for (int n = 0; n < half_spinor_numbers; ++n)
          hn::Store(hn::Load(d, message + n * lanes), d, own + n * lanes);
        continue;
      }
      for (int n = 0; n < half_spinor_numbers; n += 2) {
        const hn::Vec<D> both = hn::Load(d, message + n / 2 * lanes);
        T* first = own + n * lanes;
        hn::Store(hn::IfThenElse(of_others, both, hn::Load(d, first)), d, first);
        hn::Store(hn::IfThenElse(of_others, exchange(both), hn::Load(d, first + lanes)), d,
                  first + lanes);
      }
    }
  });
}

}  // namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
