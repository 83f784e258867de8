// The kernels for one vector target; included once for each by hopping.cpp.
#if defined(HAKARU_LATTICE_QCD_HOPPING_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_LATTICE_QCD_HOPPING_INL
#undef HAKARU_LATTICE_QCD_HOPPING_INL
#else
#define HAKARU_LATTICE_QCD_HOPPING_INL
#endif

#include <utility>

#include "apps/lattice_qcd/hopping.hpp"
#include "apps/lattice_qcd/layout.hpp"

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

// Half spinors of one direction, from the spinor of a neighbouring site.
template <int axis, bool plus>
struct Projected {
  template <int spin, int colour, class D, class T = hn::TFromD<D>>
  HWY_INLINE static Number<D> Get(D d, const T* site) {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    constexpr Mix mix = MixOf(axis, spin, plus);
    const T* upper = site + (6 * spin + 2 * colour) * lanes;
    const T* lower = site + (6 * (2 + mix.partner) + 2 * colour) * lanes;
    Number<D> h{hn::Load(d, upper), hn::Load(d, upper + lanes)};
    AddTurned<mix.phase>(h.re, h.im, hn::Load(d, lower), hn::Load(d, lower + lanes));
    return h;
  }
};

// Half spinors that were made before.
struct Stored {
  template <int spin, int colour, class D, class T = hn::TFromD<D>>
  HWY_INLINE static Number<D> Get(D d, const T* half_spinor) {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const T* at = half_spinor + (6 * spin + 2 * colour) * lanes;
    return {hn::Load(d, at), hn::Load(d, at + lanes)};
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

// One spin of U h: the columns of U one after the other, so that six sums grow side by side.
template <class D>
struct Colour {
  hn::Vec<D> number[6];
};
template <int column, class D, class T = hn::TFromD<D>>
HWY_INLINE void AddColumn(D d, const T* link, const Number<D>& h, Colour<D>& out) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
#pragma GCC unroll 3
  for (int row = 0; row < 3; ++row) {
    hn::Vec<D>&re = out.number[2 * row], &im = out.number[2 * row + 1];
    const T* u = link + 2 * (3 * row + column) * lanes;
    const hn::Vec<D> u_re = hn::Load(d, u), u_im = hn::Load(d, u + lanes);
    re = column == 0 ? hn::Mul(u_re, h.re) : hn::MulAdd(u_re, h.re, re);
    im = column == 0 ? hn::Mul(u_re, h.im) : hn::MulAdd(u_re, h.im, im);
    re = hn::NegMulAdd(u_im, h.im, re);
    im = hn::MulAdd(u_im, h.re, im);
  }
}

template <class D>
struct Sum {
  hn::Vec<D> number[spinor_numbers];
};

template <int axis, int spin, bool plus, bool first, class D>
HWY_INLINE void Accumulate(const Colour<D>& h, Sum<D>& sum) {
  constexpr Mix mix = MixOf(axis, spin, plus);
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    hn::Vec<D>* upper = sum.number + 6 * spin + 2 * c;
    hn::Vec<D>* lower = sum.number + 6 * (2 + mix.partner) + 2 * c;
    const hn::Vec<D> re = h.number[2 * c], im = h.number[2 * c + 1];
    if constexpr (first) {
      upper[0] = re, upper[1] = im;
      lower[0] = lower[1] = hn::Zero(D());
    } else {
      upper[0] = hn::Add(upper[0], re), upper[1] = hn::Add(upper[1], im);
    }
    AddTurned<Conjugate(mix.phase)>(lower[0], lower[1], re, im);
  }
}

// Keeps a compiler from holding the link's numbers of one spin for the other: they are read from
// the cache again, which costs less than to spill them.
HWY_INLINE void ReadAgain() { asm volatile("" ::: "memory"); }

template <int direction, int spin, bool plus, class From, class D, class T = hn::TFromD<D>>
HWY_INLINE void AddSpin(D d, const T* from, const T* link, Sum<D>& sum) {
  Colour<D> out;
  AddColumn<0>(d, link, From::template Get<spin, 0>(d, from), out);
  AddColumn<1>(d, link, From::template Get<spin, 1>(d, from), out);
  AddColumn<2>(d, link, From::template Get<spin, 2>(d, from), out);
  Accumulate<direction / 2, spin, plus, direction == 0>(out, sum);
  ReadAgain();
}

template <class D>
struct Site {
  const hn::TFromD<D>*in, *ghosts, *links;
  const std::uint32_t* neighbours;
  const Exchange<D>* exchanges;
  hn::TFromD<D>* exchanged;  // a half spinor
};

// The half spinor of a neighbour in the other half of a cut axis.
template <int axis, bool plus, class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreExchanged(D d, const T* site, const Exchange<D>& exchange, T* to) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  using From = Projected<axis, plus>;
  const Number<D> h[6] = {From::template Get<0, 0>(d, site), From::template Get<0, 1>(d, site),
                          From::template Get<0, 2>(d, site), From::template Get<1, 0>(d, site),
                          From::template Get<1, 1>(d, site), From::template Get<1, 2>(d, site)};
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    hn::Store(exchange(h[i].re), d, to + 2 * i * lanes);
    hn::Store(exchange(h[i].im), d, to + (2 * i + 1) * lanes);
  }
}

template <int direction, bool dagger, class D>
HWY_INLINE void AddDirection(D d, const Site<D>& site, Sum<D>& sum) {
  using T = hn::TFromD<D>;
  constexpr std::size_t lanes = hn::MaxLanes(D());
  constexpr int axis = direction / 2;
  constexpr bool plus = (direction % 2 == 1) != dagger;
  const std::uint32_t neighbour = site.neighbours[direction];
  const std::size_t index = neighbour & VectorLayout::index_mask;
  const T* link = site.links + direction * link_numbers * lanes;
  const T* other = site.in + index * spinor_numbers * lanes;
  // The same links of the next site: a core waits for a cache that it does not ask in time.
  constexpr std::size_t line_numbers = 64 / sizeof(T);
#pragma GCC unroll 18
  for (std::size_t at = 0; at < link_numbers * lanes; at += line_numbers)
    hwy::Prefetch(link + site_link_numbers * lanes + at);
  if (HWY_LIKELY(neighbour == index)) {
    AddSpin<direction, 0, plus, Projected<axis, plus>>(d, other, link, sum);
    AddSpin<direction, 1, plus, Projected<axis, plus>>(d, other, link, sum);
    return;
  }
  const T* half_spinor = site.exchanged;
  if (neighbour & VectorLayout::ghost)
    half_spinor = site.ghosts + index * half_spinor_numbers * lanes;
  else
    StoreExchanged<axis, plus>(d, other, site.exchanges[axis], site.exchanged);
  AddSpin<direction, 0, plus, Stored>(d, half_spinor, link, sum);
  AddSpin<direction, 1, plus, Stored>(d, half_spinor, link, sum);
}

template <bool dagger, class D, int... direction>
HWY_INLINE void AddDirections(D d, const Site<D>& site, Sum<D>& sum,
                              std::integer_sequence<int, direction...>) {
  (AddDirection<direction, dagger>(d, site, sum), ...);
}

template <bool dagger, class D, class T = hn::TFromD<D>>
HWY_NOINLINE void HopSites(D d, const Hopping<T>& p, std::int64_t begin, std::int64_t end) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  const Exchange<D> exchanges[axes] = {
      {d, p.lane_bit[0]}, {d, p.lane_bit[1]}, {d, p.lane_bit[2]}, {d, p.lane_bit[3]}};
  const hn::Vec<D> factor = hn::Set(d, p.factor);
  HWY_ALIGN T exchanged[half_spinor_numbers * lanes];
  for (std::int64_t i = begin; i < end; ++i) {
    const std::size_t s = p.sites[i];
    const Site<D> site{
        p.in,      p.ghosts, p.links + s * site_link_numbers * lanes, p.neighbours + s * directions,
        exchanges, exchanged};
    Sum<D> sum;
    AddDirections<dagger>(d, site, sum, std::make_integer_sequence<int, directions>());
    T* out = p.out + s * spinor_numbers * lanes;
    const T* base = p.base ? p.base + s * spinor_numbers * lanes : nullptr;
#pragma GCC unroll 24
    for (std::size_t n = 0; n < spinor_numbers; ++n)
      hn::Store(
          base ? hn::MulAdd(factor, sum.number[n], hn::Load(d, base + n * lanes)) : sum.number[n],
          d, out + n * lanes);
  }
}

template <class D, class T = hn::TFromD<D>>
void HopLanes(D d, const Hopping<T>& p, std::int64_t begin, std::int64_t end) {
  p.dagger ? HopSites<true>(d, p, begin, end) : HopSites<false>(d, p, begin, end);
}

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

template <class T>
void Hop(const Hopping<T>& p, std::int64_t begin, std::int64_t end) {
  ByLanes<T>(p.lanes, [&](auto d) { HopLanes(d, p, begin, end); });
}

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
    for (int n = 0; n < 6; ++n) {
      hn::Store(h[n].re, d, message + 2 * n * lanes);
      hn::Store(h[n].im, d, message + (2 * n + 1) * lanes);
    }
    return;
  }
  T* own = f.ghosts + i * half_spinor_numbers * lanes;
  for (int n = 0; n < 6; ++n) {
    const hn::Vec<D> re = exchange(h[n].re), im = exchange(h[n].im);
    hn::Store(re, d, own + 2 * n * lanes);
    hn::Store(im, d, own + (2 * n + 1) * lanes);
    // The imaginary parts that others need travel in the lanes that they do not need.
    hn::Store(hn::IfThenElse(of_others, re, h[n].im), d, message + n * lanes);
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

void HopSingle(const Hopping<float>& p, std::int64_t b, std::int64_t e) { Hop(p, b, e); }
void HopDouble(const Hopping<double>& p, std::int64_t b, std::int64_t e) { Hop(p, b, e); }
void PackSingle(const Faces<float>& f, std::int64_t b, std::int64_t e) { Pack(f, b, e); }
void PackDouble(const Faces<double>& f, std::int64_t b, std::int64_t e) { Pack(f, b, e); }
void UnpackSingle(const Faces<float>& f, std::int64_t b, std::int64_t e) { Unpack(f, b, e); }
void UnpackDouble(const Faces<double>& f, std::int64_t b, std::int64_t e) { Unpack(f, b, e); }

int MostLanes(int number_bytes) {
  return static_cast<int>(number_bytes == 4 ? hn::MaxLanes(hn::ScalableTag<float>())
                                            : hn::MaxLanes(hn::ScalableTag<double>()));
}
const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
