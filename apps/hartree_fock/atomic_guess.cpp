#include "apps/hartree_fock/atomic_guess.hpp"

#include <algorithm>
#include <map>

#include "apps/hartree_fock/fock.hpp"
#include "apps/hartree_fock/one_electron.hpp"
#include "apps/hartree_fock/repulsion.hpp"
#include "apps/hartree_fock/scf.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

constexpr int most_iterations = 40;
constexpr double close_enough = 1e-4;

// Electrons of each orbital by energy: 1s, 2s, and a third of the rest in each 2p.
std::vector<double> occupations(int element, int functions) {
  std::vector<double> result(static_cast<std::size_t>(functions), 0.0);
  double left = element;
  for (std::size_t i = 0; i < result.size() && i < 2; ++i) {
    result[i] = std::min(2.0, left);
    left -= result[i];
  }
  for (std::size_t i = 2; i < result.size() && i < 5; ++i) result[i] = left / 3.0;
  return result;
}

void add_integrals(const Plan& plan, FockBuilder& builder) {
  alignas(64) double some[lanes * most_of_quartet];
  FockBuilder::Adder& adder = builder.adder(0);
  for (const Task& task : plan.tasks()) {
    adder.begin(task);
    plan.for_each_batch(task, [&](int list, int batch, int count) {
      repulsion(plan.lists()[task.list], task.position, plan.lists()[list], batch, some);
      adder.add(list, batch, count, some);
    });
    adder.end();
  }
}

Matrix density_of_atom(int element, Basis basis) {
  const Molecule atom{"", {{element, basis.shells.front().at}}, 0};
  std::vector<PairList> lists;
  for (auto& pairs : group_pairs(basis)) {
    const int type = type_of(basis, pairs.front());
    lists.emplace_back(basis, type, std::move(pairs));
  }
  const OneElectron one = one_electron(basis, atom, lists, 0, 1);
  Matrix core = one.kinetic;
  for (std::size_t i = 0; i < core.size(); ++i) core[i] += one.attraction[i];
  Scf scf(basis.functions, one.overlap, core, occupations(element, basis.functions), Mixing::diis,
          0.0);
  if (scf.begin().failed > 0.0) return Matrix(core.size());
  const Plan plan(basis, lists, 0.0);
  FockBuilder builder(basis, plan, 1);
  Matrix two_electron;
  for (int i = 0; i < most_iterations; ++i) {
    builder.set_density(scf.density());
    add_integrals(plan, builder);
    if (!builder.finish(builder.packed(), two_electron)) break;
    const Step step = scf.advance(two_electron);
    if (step.failed > 0.0 || step.change < close_enough) break;
  }
  return scf.density();
}

}  // namespace

Matrix atomic_density(const Molecule& molecule, const Basis& basis) {
  const auto n = static_cast<std::size_t>(basis.functions);
  Matrix density(n * n);
  std::map<int, Matrix> known;
  for (std::size_t from = 0; from < basis.shells.size();) {
    const int atom = basis.shells[from].atom, first = basis.shells[from].first;
    const int element = molecule.atoms[static_cast<std::size_t>(atom)].element;
    Basis own;
    for (; from < basis.shells.size() && basis.shells[from].atom == atom; ++from) {
      own.shells.push_back(basis.shells[from]);
      own.shells.back().first -= first;
      own.functions += own.shells.back().functions();
    }
    const int size = own.functions;
    if (!known.contains(element)) known[element] = density_of_atom(element, std::move(own));
    for (int i = 0; i < size; ++i)
      std::copy_n(known[element].begin() + std::ptrdiff_t(i) * size, size,
                  density.begin() + static_cast<std::ptrdiff_t>((first + i) * n + first));
  }
  return density;
}

}  // namespace hakaru::apps::hartree_fock
