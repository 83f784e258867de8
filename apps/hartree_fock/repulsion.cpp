#include "apps/hartree_fock/repulsion.hpp"

#include <algorithm>
#include <cmath>

#include "apps/hartree_fock/boys.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

inline Lanes broadcast(double value) { return Lanes{} + value; }

// R up to the order of both sides, divided by sqrt(p + q).
template <int order>
inline HAKARU_INLINED void coulomb(double p, const double* centre, const Lanes* ket,
                                   const BoysTable& table, Lanes* out) {
  const Lanes q = ket[PairList::exponent];
  const Lanes inverse = 1.0 / (p + q);
  const Lanes alpha = p * q * inverse;
  Lanes r[3], root, moments[order + 1];
  for (int i = 0; i < 3; ++i) r[i] = centre[i] - ket[PairList::centre + i];
  boys<order>(alpha * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), table, moments);
  for (int i = 0; i < lanes; ++i) root[i] = std::sqrt(inverse[i]);
  const Lanes step = -2.0 * alpha;
  for (int n = 0; n <= order; ++n) {
    moments[n] *= root;
    root *= step;
  }
  coulomb_hermites<order>(moments, r, out);
}

// half[t][cd] += E_cd,t' (-1)^|t'| R_{t+t'}
template <int bra, int ket>
inline HAKARU_INLINED void expand_ket(const Lanes* coefficients, const Lanes* r,
                                      Lanes (*half)[products(ket)]) {
  unrolled<hermites(bra)>([&](auto t) HAKARU_INLINED {
    unrolled<products(ket)>([&](auto cd) HAKARU_INLINED {
      Lanes sum = half[t][cd];
      unrolled<count_terms(ket)>([&](auto i) HAKARU_INLINED {
        constexpr Term term = terms<ket>[i];
        if constexpr (term.product == cd) {
          const Lanes part = coefficients[i] * r[sum_index(t, term.hermite)];
          if constexpr (hermite[term.hermite].order() % 2 == 0)
            sum += part;
          else
            sum -= part;
        }
      });
      half[t][cd] = sum;
    });
  });
}

template <int bra, int ket>
void quartets(const PairList& left, int position, const PairList& right, int batch, double* out) {
  constexpr int order = bra + ket, rows = products(bra), columns = products(ket);
  const int own_batch = position / lanes, lane = position % lanes;
  const BoysTable& table = BoysTable::of(order);
  Lanes sum[rows][columns] = {};
  for (int k = 0; k < left.primitives(own_batch); ++k) {
    const Lanes* record = left.primitive(own_batch, k);
    const double centre[3] = {record[1][lane], record[2][lane], record[3][lane]};
    Lanes half[hermites(bra)][columns] = {};
    for (int l = 0; l < right.primitives(batch); ++l) {
      const Lanes* other = right.primitive(batch, l);
      Lanes r[hermites(order)];
      coulomb<order>(record[PairList::exponent][lane], centre, other, table, r);
      expand_ket<bra, ket>(other + PairList::coefficients, r, half);
    }
    for (int i = 0; i < count_terms(bra); ++i) {
      const Lanes e = broadcast(record[PairList::coefficients + i][lane]);
      const Term term = terms<bra>[i];
      for (int cd = 0; cd < columns; ++cd) sum[term.product][cd] += e * half[term.hermite][cd];
    }
  }
  for (int ab = 0; ab < rows; ++ab)
    for (int cd = 0; cd < columns; ++cd)
      for (int i = 0; i < lanes; ++i) out[(i * rows + ab) * columns + cd] = sum[ab][cd][i];
}

using Quartets = void (*)(const PairList&, int, const PairList&, int, double*);
constexpr Quartets kernels[3][3] = {{quartets<0, 0>, quartets<0, 1>, quartets<0, 2>},
                                    {quartets<1, 0>, quartets<1, 1>, quartets<1, 2>},
                                    {quartets<2, 0>, quartets<2, 1>, quartets<2, 2>}};
constexpr int counts[3] = {count_terms(0), count_terms(1), count_terms(2)};

}  // namespace

void repulsion(const PairList& bra, int position, const PairList& ket, int batch, double* out) {
  kernels[bra.type()][ket.type()](bra, position, ket, batch, out);
}

double flops_of_primitives(int bra_type, int ket_type) {
  constexpr double distances = 20.0;
  return distances + boys_flops + coulomb_flops(bra_type + ket_type) +
         2.0 * hermites(bra_type) * counts[ket_type];
}

double flops_of_bra(int bra_type, int ket_type) {
  return 2.0 * counts[bra_type] * products(ket_type);
}

std::vector<double> schwarz_bounds(const PairList& list) {
  std::vector<double> bounds(static_cast<std::size_t>(list.size()));
  const int width = products(list.type());
#pragma omp parallel for schedule(dynamic, lanes)
  for (int position = 0; position < list.size(); ++position) {
    alignas(64) double out[lanes * most_of_quartet];
    repulsion(list, position, list, position / lanes, out);
    const double* own = out + position % lanes * width * width;
    double most = 0.0;
    for (int i = 0; i < width; ++i) most = std::max(most, std::abs(own[i * width + i]));
    bounds[position] = std::sqrt(most);
  }
  return bounds;
}

}  // namespace hakaru::apps::hartree_fock
