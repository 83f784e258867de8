#include "apps/hartree_fock/one_electron.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "apps/hartree_fock/boys.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

// Some nuclei of a molecule; charges beyond the last are zero.
struct Nuclei {
  Lanes charge{}, at[3]{};
};

std::vector<Nuclei> nuclei_of(const Molecule& molecule) {
  std::vector<Nuclei> batches((molecule.atoms.size() + lanes - 1) / lanes);
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    Nuclei& batch = batches[i / lanes];
    batch.charge[i % lanes] = molecule.atoms[i].element;
    for (int axis = 0; axis < 3; ++axis) batch.at[axis][i % lanes] = molecule.atoms[i].at[axis];
  }
  return batches;
}

// R_t of a charge cloud of exponent p at the centre, summed over the nuclei with their charges.
template <int order>
void attracting(double p, const double* centre, const std::vector<Nuclei>& nuclei, double* sum) {
  Lanes total[hermites(order)] = {};
  for (const Nuclei& batch : nuclei) {
    Lanes r[3], moments[order + 1], out[hermites(order)];
    for (int i = 0; i < 3; ++i) r[i] = centre[i] - batch.at[i];
    boys<order>(p * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), BoysTable::of(order), moments);
    Lanes factor = batch.charge;
    for (int n = 0; n <= order; ++n) {
      moments[n] *= factor;
      factor *= -2.0 * p;
    }
    coulomb_hermites<order>(moments, r, out);
    for (int i = 0; i < hermites(order); ++i) total[i] += out[i];
  }
  for (int i = 0; i < hermites(order); ++i) sum[i] = sum_of(total[i]);
}

// <x_a^i e^(-a x_a^2) | x_b^j e^(-b x_b^2)> along an axis for i <= 1, j <= 3 (Obara and Saika, J.
// Chem. Phys. 84, 3963, 1986).
using Overlaps = std::array<std::array<double, 4>, 2>;
Overlaps overlaps_along(double a, double b, double from_a, double from_b) {
  const double p = a + b, half = 0.5 / p, apart = from_b - from_a;
  const double pa = b / p * apart, pb = -a / p * apart;
  Overlaps s{};
  s[0][0] = std::sqrt(std::numbers::pi / p) * std::exp(-a * b / p * apart * apart);
  for (int j = 0; j < 3; ++j) s[0][j + 1] = pb * s[0][j] + (j > 0 ? j * half * s[0][j - 1] : 0.0);
  for (int j = 0; j < 4; ++j) s[1][j] = pa * s[0][j] + (j > 0 ? j * half * s[0][j - 1] : 0.0);
  return s;
}

double kinetic_of(const std::array<Overlaps, 3>& s, int f, int g, double b) {
  auto product = [&](int raised) {
    double value = 1.0;
    for (int axis = 0; axis < 3; ++axis)
      value *= s[axis][degree(f, axis)][degree(g, axis) + (axis == raised ? 2 : 0)];
    return value;
  };
  const double r2 = product(0) + product(1) + product(2);
  return b * (2.0 * (g > 0) + 3.0) * product(-1) - 2.0 * b * b * r2;
}

class PairIntegrals {
 public:
  PairIntegrals(const Basis& basis, const std::vector<Nuclei>& nuclei, OneElectron& out)
      : basis_(basis), nuclei_(nuclei), out_(out) {}

  void operator()(const PairList& list, int position) const {
    if (list.type() == 0) from_expansion<0>(list, position);
    if (list.type() == 1) from_expansion<1>(list, position);
    if (list.type() == 2) from_expansion<2>(list, position);
    kinetic(list.pair(position));
  }

 private:
  void store(std::vector<double>& matrix, const ShellPair& pair, int f, int g, double value) const {
    const int row = basis_.shells[pair.first].first + f;
    const int column = basis_.shells[pair.second].first + g;
    const auto n = static_cast<std::size_t>(basis_.functions);
    matrix[row * n + column] = matrix[column * n + row] = value;
  }

  template <int type>
  void from_expansion(const PairList& list, int position) const {
    constexpr int columns = functions_second(type);
    double overlap[products(type)] = {}, attraction[products(type)] = {};
    const int batch = position / lanes, lane = position % lanes;
    for (int k = 0; k < list.primitives(batch); ++k) {
      const Lanes* record = list.primitive(batch, k);
      const double p = record[PairList::exponent][lane];
      const double centre[3] = {record[1][lane], record[2][lane], record[3][lane]};
      const double cloud = std::pow(std::numbers::pi / p, 1.5) * p / coulomb_factor;
      double r[hermites(type)];
      attracting<type>(p, centre, nuclei_, r);
      for (int i = 0; i < count_terms(type); ++i) {
        const double e = record[PairList::coefficients + i][lane];
        const Term term = terms<type>[i];
        if (term.hermite == 0) overlap[term.product] += e * cloud;
        attraction[term.product] -= e * r[term.hermite] * (2.0 * std::numbers::pi / coulomb_factor);
      }
    }
    for (int i = 0; i < products(type); ++i) {
      store(out_.overlap, list.pair(position), i / columns, i % columns, overlap[i]);
      store(out_.attraction, list.pair(position), i / columns, i % columns, attraction[i]);
    }
  }

  void kinetic(const ShellPair& pair) const {
    const Shell &first = basis_.shells[pair.first], &second = basis_.shells[pair.second];
    double sum[4][4] = {};
    for (const Primitive& a : first.primitives)
      for (const Primitive& b : second.primitives) {
        std::array<Overlaps, 3> s;
        for (int axis = 0; axis < 3; ++axis)
          s[axis] = overlaps_along(a.exponent, b.exponent, first.at[axis], second.at[axis]);
        for (int f = 0; f < first.functions(); ++f)
          for (int g = 0; g < second.functions(); ++g)
            sum[f][g] +=
                (f > 0 ? a.p : a.s) * (g > 0 ? b.p : b.s) * kinetic_of(s, f, g, b.exponent);
      }
    for (int f = 0; f < first.functions(); ++f)
      for (int g = 0; g < second.functions(); ++g) store(out_.kinetic, pair, f, g, sum[f][g]);
  }

  const Basis& basis_;
  const std::vector<Nuclei>& nuclei_;
  OneElectron& out_;
};

// Primitive pairs of a list, those that fill up batches too.
double primitive_pairs(const PairList& list) {
  double sum = 0.0;
  for (int batch = 0; batch < list.batches(); ++batch)
    sum += double(list.primitives(batch)) * std::min(lanes, list.size() - batch * lanes);
  return sum;
}

}  // namespace

OneElectron one_electron(const Basis& basis, const Molecule& molecule,
                         const std::vector<PairList>& lists, int part, int parts) {
  const auto size = static_cast<std::size_t>(basis.functions) * basis.functions;
  OneElectron out{std::vector<double>(size), std::vector<double>(size), std::vector<double>(size)};
  const std::vector<Nuclei> nuclei = nuclei_of(molecule);
  const PairIntegrals integrals(basis, nuclei, out);
  for (const PairList& list : lists) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int position = part; position < list.size(); position += parts) integrals(list, position);
  }
  return out;
}

double overlap_flops(const std::vector<PairList>& lists) {
  double flops = 0.0;
  for (const PairList& list : lists)
    flops += primitive_pairs(list) * (60.0 + 13.0 * products(list.type()));
  return flops;
}

double attraction_flops(const std::vector<PairList>& lists, std::size_t atoms) {
  double flops = 0.0;
  for (const PairList& list : lists)
    flops += primitive_pairs(list) * double(atoms) *
             (boys_flops + 10.0 + coulomb_flops(list.type()) + hermites(list.type()));
  return flops;
}

}  // namespace hakaru::apps::hartree_fock
