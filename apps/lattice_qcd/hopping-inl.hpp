// The hopping term for one vector target; included once for each by hopping.cpp.
#if defined(HAKARU_LATTICE_QCD_HOPPING_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HAKARU_LATTICE_QCD_HOPPING_INL
#undef HAKARU_LATTICE_QCD_HOPPING_INL
#else
#define HAKARU_LATTICE_QCD_HOPPING_INL
#endif

#include <utility>

#include "apps/lattice_qcd/half_spinors-inl.hpp"
#include "apps/lattice_qcd/layout.hpp"

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One spin of U h: the columns of U one after the other, so that six sums grow side by side.
template <class D>
struct Colour {
  hn::Vec<D> number[6];
};
template <class T>
struct Link {
  const T *rows, *third;  // two rows, and the third
};
template <int column, class D, class T = hn::TFromD<D>>
HWY_INLINE void AddColumn(D d, const Link<T>& link, const Number<D>& h, Colour<D>& out) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
#pragma GCC unroll 3
  for (int row = 0; row < 3; ++row) {
    hn::Vec<D>&re = out.number[2 * row], &im = out.number[2 * row + 1];
    const T* u = (row < 2 ? link.rows + 6 * row * lanes : link.third) + 2 * column * lanes;
    hn::Vec<D> u_re = hn::Load(d, u), u_im = hn::Load(d, u + lanes);
    HAKARU_LOADED_ONCE(u_re);
    HAKARU_LOADED_ONCE(u_im);
    re = column == 0 ? hn::Mul(u_re, h.re) : hn::MulAdd(u_re, h.re, re);
    im = column == 0 ? hn::Mul(u_re, h.im) : hn::MulAdd(u_re, h.im, im);
    re = hn::NegMulAdd(u_im, h.im, re);
    im = hn::MulAdd(u_im, h.re, im);
  }
}

// conj(a_i b_j - a_j b_i) of rows a and b.
template <class D>
HWY_INLINE Number<D> Minor(const Number<D>& a_i, const Number<D>& b_i, const Number<D>& a_j,
                           const Number<D>& b_j) {
  hn::Vec<D> re = hn::Mul(a_i.re, b_j.re), im = hn::Mul(a_j.re, b_i.im);
  re = hn::NegMulAdd(a_i.im, b_j.im, re), im = hn::MulAdd(a_j.im, b_i.re, im);
  re = hn::NegMulAdd(a_j.re, b_i.re, re), im = hn::NegMulAdd(a_i.re, b_j.im, im);
  re = hn::MulAdd(a_j.im, b_i.im, re), im = hn::NegMulAdd(a_i.im, b_j.re, im);
  return {re, im};
}

template <int direction, class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreThirdRow(D d, const T* site_links, T* to) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  const T* rows = site_links + direction * link_numbers * lanes;
  const T* second = rows + 6 * lanes;
  const Number<D> a[3] = {Read(d, rows), Read(d, rows + 2 * lanes), Read(d, rows + 4 * lanes)},
                  b[3] = {Read(d, second), Read(d, second + 2 * lanes),
                          Read(d, second + 4 * lanes)};
#pragma GCC unroll 3
  for (int column = 0; column < 3; ++column) {
    const int i = (column + 1) % 3, j = (column + 2) % 3;
    Number<D> number = Minor<D>(a[i], b[i], a[j], b[j]);
    if constexpr (direction >= 6) {
      const hn::Vec<D> sign = hn::Load(d, site_links + sign_begin(direction) * lanes);
      number = {hn::Mul(sign, number.re), hn::Mul(sign, number.im)};
    }
    Write(d, number, to + 2 * column * lanes);
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
HWY_INLINE void AddSpin(D d, const T* from, const Link<T>& link, Sum<D>& sum) {
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
  hn::TFromD<D>*exchanged, *third_row;  // a half spinor, a row of a link
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
  for (int i = 0; i < 6; ++i)
    Write(d, Number<D>{exchange(h[i].re), exchange(h[i].im)}, to + 2 * i * lanes);
}

template <int direction, bool dagger, class D>
HWY_INLINE void AddDirection(D d, const Site<D>& site, Sum<D>& sum) {
  using T = hn::TFromD<D>;
  constexpr std::size_t lanes = hn::MaxLanes(D());
  constexpr int axis = direction / 2;
  constexpr bool plus = (direction % 2 == 1) != dagger;
  const std::uint32_t neighbour = site.neighbours[direction];
  const std::size_t index = neighbour & VectorLayout::index_mask;
  const Link<T> link{site.links + direction * link_numbers * lanes, site.third_row};
  const T* other = site.in + index * spinor_numbers * lanes;
  // The same links two sites ahead, into the second cache: they come from memory in time, and a
  // core can wait for more lines there than in its first cache.
  constexpr std::size_t line_numbers = 64 / sizeof(T), ahead = 2 * site_link_numbers * lanes;
  constexpr int second_cache = 2;
#pragma GCC unroll 12
  for (std::size_t at = 0; at < link_numbers * lanes; at += line_numbers)
    __builtin_prefetch(link.rows + ahead + at, 0, second_cache);
  StoreThirdRow<direction>(d, site.links, site.third_row);
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
  HWY_ALIGN T exchanged[half_spinor_numbers * lanes], third_row[6 * lanes];
  for (std::int64_t i = begin; i < end; ++i) {
    const std::size_t s = p.sites[i];
    const Site<D> site{p.in,
                       p.ghosts,
                       p.links + s * site_link_numbers * lanes,
                       p.neighbours + s * directions,
                       exchanges,
                       exchanged,
                       third_row};
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

template <class T>
void Hop(const Hopping<T>& p, std::int64_t begin, std::int64_t end) {
  ByLanes<T>(p.lanes, [&](auto d) { HopLanes(d, p, begin, end); });
}

}  // namespace hakaru::apps::lattice_qcd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
