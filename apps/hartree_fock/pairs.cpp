#include "apps/hartree_fock/pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace hakaru::apps::hartree_fock {

const double coulomb_factor = std::numbers::sqrt2 * std::pow(std::numbers::pi, 1.25);

namespace {

// Below this the product of two primitives adds nothing to any integral of 1e-16.
constexpr double negligible = 1e-18;

struct PrimitivePair {
  const Primitive *a, *b;
  double weight;  // magnitude of what it gives to an integral
};

double largest(const Primitive& one) { return std::max(std::abs(one.s), std::abs(one.p)); }

// The heaviest first; at least one.
std::vector<PrimitivePair> primitive_pairs(const Shell& first, const Shell& second) {
  double distance2 = 0.0;
  for (int i = 0; i < 3; ++i) distance2 += std::pow(first.at[i] - second.at[i], 2);
  std::vector<PrimitivePair> all;
  for (const Primitive& a : first.primitives)
    for (const Primitive& b : second.primitives) {
      const double p = a.exponent + b.exponent;
      const double product = std::exp(-a.exponent * b.exponent / p * distance2);
      all.push_back({&a, &b, product * largest(a) * largest(b) * coulomb_factor / p});
    }
  std::ranges::stable_sort(all, std::greater(), &PrimitivePair::weight);
  while (all.size() > 1 && all.back().weight < negligible) all.pop_back();
  return all;
}

// E^ij_t of one axis for i, j <= 1: x_a^i x_b^j times the Gaussian product, in Hermite Gaussians.
struct Axis {
  double pa, pb, half;  // P - A, P - B, 1 / (2 p)
  double coefficient(int i, int j, int t) const {
    if (i + j == 0) return 1.0;
    if (i + j == 1) return t == 1 ? half : i == 1 ? pa : pb;
    return t == 0 ? pa * pb + half : t == 1 ? (pa + pb) * half : half * half;
  }
};

template <int type>
void fill_terms(const PrimitivePair& primitives, const std::array<Axis, 3>& axes, double scale,
                Lanes* record, int lane) {
  constexpr int second = functions_second(type);
  for (std::size_t i = 0; i < terms<type>.size(); ++i) {
    const int a = terms<type>[i].product / second, b = terms<type>[i].product % second;
    const Hermite h = hermite[terms<type>[i].hermite];
    const int power[3] = {h.t, h.u, h.v};
    double value = scale * (a == 0 ? primitives.a->s : primitives.a->p) *
                   (b == 0 ? primitives.b->s : primitives.b->p);
    for (int axis = 0; axis < 3; ++axis)
      value *= axes[axis].coefficient(degree(a, axis), degree(b, axis), power[axis]);
    record[PairList::coefficients + i][lane] = value;
  }
}

}  // namespace

PairList::PairList(const Basis& basis, int type, std::vector<ShellPair> pairs)
    : type_(type), pairs_(std::move(pairs)) {
  const int counts[3] = {count_terms(0), count_terms(1), count_terms(2)};
  record_ = static_cast<std::size_t>(coefficients + counts[type]);
  std::size_t total = 0;
  for (int batch = 0; batch < batches(); ++batch) {
    int most = 0;
    for (int i = batch * lanes; i < std::min(size(), (batch + 1) * lanes); ++i) {
      const auto& [a, b] = pairs_[i];
      most = std::max(most,
                      static_cast<int>(primitive_pairs(basis.shells[a], basis.shells[b]).size()));
    }
    first_.push_back(total);
    primitives_.push_back(most);
    total += static_cast<std::size_t>(most);
  }
  data_ = base::AlignedArray<Lanes>(total * record_);
#pragma omp parallel for schedule(static)
  for (int batch = 0; batch < batches(); ++batch)
    for (int i = batch * lanes; i < (batch + 1) * lanes; ++i) fill(basis, i);
}

// Beyond the last pair and its last primitive: exponent and centre of the last ones, coefficients
// that are zero.
void PairList::fill(const Basis& basis, int position) {
  const int batch = position / lanes, lane = position % lanes;
  const ShellPair& pair = pairs_[std::min(position, size() - 1)];
  const Shell &first = basis.shells[pair.first], &second = basis.shells[pair.second];
  const auto primitives = primitive_pairs(first, second);
  for (int k = 0; k < primitives_[batch]; ++k) {
    const bool real = position < size() && k < static_cast<int>(primitives.size());
    const PrimitivePair& one = primitives[std::min(k, static_cast<int>(primitives.size()) - 1)];
    const double a = one.a->exponent, b = one.b->exponent, p = a + b;
    Lanes* record = data_.data() + (first_[batch] + static_cast<std::size_t>(k)) * record_;
    record[exponent][lane] = p;
    std::array<Axis, 3> axes{};
    double product = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double at = (a * first.at[i] + b * second.at[i]) / p;
      record[centre + i][lane] = at;
      axes[i] = {at - first.at[i], at - second.at[i], 0.5 / p};
      product -= a * b / p * std::pow(first.at[i] - second.at[i], 2);
    }
    const double scale = real ? std::exp(product) * coulomb_factor / p : 0.0;
    if (type_ == 0) fill_terms<0>(one, axes, scale, record, lane);
    if (type_ == 1) fill_terms<1>(one, axes, scale, record, lane);
    if (type_ == 2) fill_terms<2>(one, axes, scale, record, lane);
  }
}

int type_of(const Basis& basis, const ShellPair& pair) {
  return int{basis.shells[pair.first].with_p} + int{basis.shells[pair.second].with_p};
}

std::vector<std::vector<ShellPair>> group_pairs(const Basis& basis) {
  std::map<std::pair<int, std::size_t>, std::vector<ShellPair>> groups;
  for (int i = 0; i < static_cast<int>(basis.shells.size()); ++i)
    for (int j = 0; j <= i; ++j) {
      const Shell &a = basis.shells[i], &b = basis.shells[j];
      const ShellPair pair = b.with_p && !a.with_p ? ShellPair{j, i} : ShellPair{i, j};
      groups[{type_of(basis, pair), a.primitives.size() * b.primitives.size()}].push_back(pair);
    }
  std::vector<std::vector<ShellPair>> result;
  for (auto& [key, pairs] : groups) result.push_back(std::move(pairs));
  return result;
}

}  // namespace hakaru::apps::hartree_fock
