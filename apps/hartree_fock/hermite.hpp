// Indices of Hermite Gaussians and the tables of their recursions, made at compile time
// (L. McMurchie, E. Davidson, J. Comput. Phys. 26, 218, 1978).
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "apps/hartree_fock/lanes.hpp"

// Bodies that the compiler would call instead of unrolling them.
#define HAKARU_INLINED __attribute__((always_inline))

namespace hakaru::apps::hartree_fock {

// Of two p functions before and behind an integral.
inline constexpr int highest_order = 4;

constexpr int hermites(int order) { return (order + 1) * (order + 2) * (order + 3) / 6; }

struct Hermite {
  int t, u, v;
  constexpr int order() const { return t + u + v; }
};

// By order, then x before y before z: 1; x, y, z; xx, xy, xz, yy, yz, zz; ...
constexpr auto hermite_list() {
  std::array<Hermite, hermites(highest_order)> list{};
  int n = 0;
  for (int order = 0; order <= highest_order; ++order)
    for (int t = order; t >= 0; --t)
      for (int u = order - t; u >= 0; --u) list[n++] = {t, u, order - t - u};
  return list;
}
inline constexpr auto hermite = hermite_list();

constexpr int index_of(const Hermite& h) {
  for (std::size_t i = 0; i < hermite.size(); ++i)
    if (hermite[i].t == h.t && hermite[i].u == h.u && hermite[i].v == h.v)
      return static_cast<int>(i);
  return -1;
}

constexpr int sum_index(int a, int b) {
  return index_of(
      {hermite[a].t + hermite[b].t, hermite[a].u + hermite[b].u, hermite[a].v + hermite[b].v});
}

// A pair of shells by the number of those with p functions: its products of two functions are sums
// of Hermite Gaussians up to that order. The shell with p functions comes first.
constexpr int functions_first(int type) { return type > 0 ? 4 : 1; }
constexpr int functions_second(int type) { return type > 1 ? 4 : 1; }
constexpr int products(int type) { return functions_first(type) * functions_second(type); }

// One coefficient: of the Hermite Gaussian in the expansion of the product.
struct Term {
  int product, hermite;
};

constexpr int degree(int function, int axis) { return function == axis + 1 ? 1 : 0; }

constexpr bool in_expansion(int a, int b, const Hermite& h) {
  const int power[3] = {h.t, h.u, h.v};
  for (int axis = 0; axis < 3; ++axis)
    if (power[axis] > degree(a, axis) + degree(b, axis)) return false;
  return true;
}

constexpr int count_terms(int type) {
  int n = 0;
  for (int a = 0; a < functions_first(type); ++a)
    for (int b = 0; b < functions_second(type); ++b)
      for (int h = 0; h < hermites(type); ++h) n += in_expansion(a, b, hermite[h]) ? 1 : 0;
  return n;
}

template <int type>
constexpr auto term_list() {
  std::array<Term, count_terms(type)> list{};
  int n = 0;
  for (int a = 0; a < functions_first(type); ++a)
    for (int b = 0; b < functions_second(type); ++b)
      for (int h = 0; h < hermites(type); ++h)
        if (in_expansion(a, b, hermite[h])) list[n++] = {a * functions_second(type) + b, h};
  return list;
}
template <int type>
inline constexpr auto terms = term_list<type>();

// body(integral_constant<0>) ... body(integral_constant<count - 1>), unrolled.
template <int count, typename Body>
inline HAKARU_INLINED void unrolled(const Body& body) {
  [&]<std::size_t... i>(std::index_sequence<i...>) HAKARU_INLINED {
    (body(std::integral_constant<int, static_cast<int>(i)>()), ...);
  }
  (std::make_index_sequence<count>());
}

// R_tuv of McMurchie and Davidson up to the order: from boys[n] = (-2 alpha)^n F_n(alpha r^2) times
// any factor, R^n_000 = boys[n] and
//   R^n_{t+1,u,v} = t R^{n+1}_{t-1,u,v} + x R^{n+1}_{t,u,v}   (u, v alike with y, z)
template <int order>
inline HAKARU_INLINED void coulomb_hermites(const Lanes* boys, const Lanes* r, Lanes* out) {
  Lanes level[order + 1][hermites(order)];
  unrolled<order + 1>([&](auto n) HAKARU_INLINED { level[n][0] = boys[n]; });
  unrolled<hermites(order) - 1>([&](auto i) HAKARU_INLINED {
    constexpr int index = i + 1;
    constexpr Hermite h = hermite[index];
    constexpr int axis = h.t > 0 ? 0 : h.u > 0 ? 1 : 2;
    constexpr Hermite one{h.t - (axis == 0), h.u - (axis == 1), h.v - (axis == 2)};
    constexpr int lowered[3] = {one.t, one.u, one.v};
    constexpr Hermite two{one.t - (axis == 0), one.u - (axis == 1), one.v - (axis == 2)};
    unrolled<order - h.order() + 1>([&](auto n) HAKARU_INLINED {
      Lanes value = r[axis] * level[n + 1][index_of(one)];
      if constexpr (lowered[axis] == 1) value += level[n + 1][index_of(two)];
      if constexpr (lowered[axis] > 1) value += double(lowered[axis]) * level[n + 1][index_of(two)];
      level[n][index] = value;
    });
  });
  unrolled<hermites(order)>([&](auto i) HAKARU_INLINED { out[i] = level[0][i]; });
}

// Multiplications and additions of the above, without the Boys function.
constexpr double coulomb_flops(int order) {
  double flops = 0.0;
  for (int i = 1; i < hermites(order); ++i) flops += 2.0 * (order - hermite[i].order() + 1);
  return flops;
}

}  // namespace hakaru::apps::hartree_fock
