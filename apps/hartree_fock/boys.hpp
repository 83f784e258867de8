// The Boys function F_m(T) = integral over 0 <= u <= 1 of u^(2m) exp(-T u^2).
//
// F_0 ... F_order of each lane's T >= 0, order 0 to 4, relative error below 1e-13.
//   T < 36: Taylor series about the nearest of the multiples of 1/16 (S. Boys, Proc. R. Soc. A 200,
//   542, 1950), then F_{m-1} = (2 T F_m + exp(-T)) / (2 m - 1), which loses nothing.
//   T >= 36: F_0 = sqrt(pi / T) / 2 and F_{m+1} = (2 m + 1) F_m / (2 T); exp(-T) is below 3e-16.
#pragma once

#include <cmath>
#include <numbers>

#include "apps/hartree_fock/hermite.hpp"

namespace hakaru::apps::hartree_fock {

// By its series, to all digits and slowly; any order.
double boys_series(int order, double t);

class BoysTable {
 public:
  static constexpr double spacing = 0.0625, end = 36.0;
  static constexpr int taylor_terms = 7;  // (1/32)^7 / 7! F_11 < 3e-16
  static constexpr int row_length = taylor_terms + 1;

  // Of the order; made once, before threads start.
  static const BoysTable& of(int order);

  // F_order / 0! ... F_(order+6) / 6! and exp(-T) at the nearest multiple: one cache line.
  const double* row(int at) const { return rows_[at]; }

 private:
  explicit BoysTable(int order);
  alignas(64) double rows_[static_cast<int>(end / spacing) + 2][row_length];
};

namespace boys_parts {

// columns[k] has the k-th number of each lane's row; `step` is from T to the row's.
inline HAKARU_INLINED void look_up(const Lanes& t, const BoysTable& table, Lanes* columns,
                                   Lanes& step) {
  const double* row[lanes];
  Lanes nearest;
  for (int lane = 0; lane < lanes; ++lane) {
    const int at = static_cast<int>(t[lane] * (1.0 / BoysTable::spacing) + 0.5);
    nearest[lane] = at;
    row[lane] = table.row(at);
  }
  step = nearest * BoysTable::spacing - t;
  unrolled<BoysTable::row_length>([&](auto k) HAKARU_INLINED {
#if defined(__AVX512F__)
    columns[k] = Lanes{row[0][k], row[1][k], row[2][k], row[3][k],
                       row[4][k], row[5][k], row[6][k], row[7][k]};
#else
    columns[k] = Lanes{row[0][k], row[1][k], row[2][k], row[3][k]};
#endif
  });
}

template <int order>
inline HAKARU_INLINED void near(const Lanes& t, const BoysTable& table, Lanes* out) {
  constexpr double inverse_factorial[8] = {1.,      1.,       1. / 2,   1. / 6,
                                           1. / 24, 1. / 120, 1. / 720, 1. / 5040};
  constexpr int last = BoysTable::taylor_terms;
  Lanes row[BoysTable::row_length], d;
  look_up(t, table, row, d);
  Lanes sum = row[last - 1];
  for (int k = last - 2; k >= 0; --k) sum = row[k] + sum * d;
  out[order] = sum;
  if constexpr (order > 0) {
    Lanes e = d * inverse_factorial[7] + inverse_factorial[6];
    for (int k = 5; k >= 0; --k) e = e * d + inverse_factorial[k];
    e *= row[last];
    for (int m = order; m > 0; --m) out[m - 1] = (2.0 * t * out[m] + e) * (1.0 / (2 * m - 1));
  }
}

template <int order>
inline HAKARU_INLINED void far(const Lanes& t, Lanes* out) {
  const Lanes inverse = 1.0 / t;
  Lanes root{};
  for (int i = 0; i < lanes; ++i) root[i] = std::sqrt(inverse[i]);
  out[0] = root * (0.5 * std::sqrt(std::numbers::pi));
  for (int m = 0; m < order; ++m) out[m + 1] = (m + 0.5) * inverse * out[m];
}

}  // namespace boys_parts

template <int order>
inline HAKARU_INLINED void boys(const Lanes& t, const BoysTable& table, Lanes* out) {
  int beyond = 0;
  for (int i = 0; i < lanes; ++i) beyond += t[i] >= BoysTable::end ? 1 : 0;
  if (beyond == lanes) return boys_parts::far<order>(t, out);
  if (beyond == 0) return boys_parts::near<order>(t, table, out);
  Lanes large[order + 1];
  boys_parts::far<order>(t, large);
  boys_parts::near<order>(t < BoysTable::end ? t : Lanes{}, table, out);
  for (int m = 0; m <= order; ++m) out[m] = t < BoysTable::end ? out[m] : large[m];
}

inline constexpr double boys_flops = 40.0;

}  // namespace hakaru::apps::hartree_fock
