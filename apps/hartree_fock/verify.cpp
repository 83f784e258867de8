#include "apps/hartree_fock/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/hartree_fock/references.hpp"
#include "apps/hartree_fock/repulsion.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

double energy_of(const Result& result) { return result.history.back().energy; }

Matrix times_overlap(const Result& result, const Matrix& matrix) {
  return product(result.functions(), matrix, result.one_electron.overlap);
}

class Verification {
 public:
  Verification(harness::Run& run, const parallel::Communicator& world, base::Checks& checks)
      : run_(run), world_(world), checks_(checks) {}

  void all() {
    for (const Reference& one : references()) against(one);
    ways();
    mixings();
    moved();
    symmetry_of_integrals();
  }

 private:
  static Settings settings_of(const Molecule& molecule, const std::string& basis) {
    Settings settings;
    settings.molecule = molecule, settings.basis = basis;
    settings.threshold = 1e-8;
    return settings;
  }

  Result calculate(const Settings& settings) const {
    const std::string scratch = scratch_name(settings.scratch, world_);
    Result result = Calculation(settings, scratch, world_, run_.phases()).run();
    if (run_.damaged()) spoil(result);
    return result;
  }

  static void spoil(Result& result) {
    result.history.back().energy += 1e-6;
    result.history.back().residual += 1e-3;
    result.nuclear += 1e-6;
    for (double& value : result.density) value *= 1.0 + 1e-6;
    for (double& value : result.one_electron.overlap) value += 1e-9;
    for (double& value : result.one_electron.kinetic) value *= 1.0 + 1e-4;
    double step = 0.0;
    for (double& value : result.orbital_energies) value += step += 1e-5;
  }

  void against(const Reference& reference) {
    const Settings settings = settings_of(reference.molecule, reference.basis);
    const Result result = calculate(settings);
    const std::string name = reference.name + ", " + reference.basis + ": ";
    constexpr const char* why = "the other program's last digits, and energies are second order";
    checks_.absolute(name + "energy", energy_of(result), reference.energy, 1e-8, why);
    checks_.absolute(name + "repulsion of the nuclei", result.nuclear, reference.nuclear, 1e-9,
                     "the reference has ten decimals");
    checks_.absolute(name + "virial ratio", virial_ratio(settings, result), reference.virial, 2e-6,
                     "of first order in the density");
    matrices(name, settings, result);
    orbitals(name, settings, result, reference);
  }

  void matrices(const std::string& name, const Settings& settings, const Result& result) {
    const int n = result.functions();
    const Matrix ps = times_overlap(result, result.density);
    double trace = 0.0, norm = 0.0;
    for (int i = 0; i < n; ++i) {
      trace += ps[std::size_t(i) * n + i];
      norm = std::max(norm, std::abs(result.one_electron.overlap[std::size_t(i) * n + i] - 1.0));
    }
    constexpr const char* rounding = "roundings of sums over the functions";
    checks_.absolute(name + "Tr(PS)", trace, settings.molecule.electrons(), 1e-10, rounding);
    checks_.at_most(name + "largest S_ii - 1", norm, 1e-12, rounding);
    Matrix psp = product(n, ps, result.density);
    for (double& value : psp) value *= 0.5;
    checks_.at_most(name + "largest element of PSP / 2 - P",
                    largest_difference(psp, result.density), 1e-10, rounding);
    checks_.at_most(name + "largest element of FPS - SPF", result.history.back().residual, 1e-6,
                    "of the density before the last, which changed by less than 1e-8");
  }

  // Orbital energies are the root's.
  void orbitals(const std::string& name, const Settings& settings, const Result& result,
                const Reference& reference) {
    std::vector<double> values(static_cast<std::size_t>(result.functions()));
    if (world_.rank() == 0) values = result.orbital_energies;
    world_.broadcast(values, 0);
    const auto occupied = static_cast<std::size_t>(settings.molecule.electrons() / 2);
    checks_.absolute(name + "highest occupied orbital", values[occupied - 1],
                     reference.highest_occupied, 1e-6, "of first order in the density");
    if (occupied < values.size())
      checks_.absolute(name + "lowest empty orbital", values[occupied], reference.lowest_empty,
                       1e-6, "of first order in the density");
    if (settings.molecule.atoms.size() == 12)
      checks_.at_most(name + "splitting of e1g and of e2u",
                      std::max(std::abs(values[occupied - 1] - values[occupied - 2]),
                               std::abs(values[occupied] - values[occupied + 1])),
                      1e-7, "pairs by the symmetry of the hexagon");
  }

  // Integrals in memory, on disk in small parts, and computed each time.
  void ways() {
    Settings settings = settings_of(acene(1, {1.397, 1.084}), "sto-3g");
    const Result memory = Calculation(settings, "", world_, run_.phases()).run();
    for (const bool all : {false, true}) {
      settings.keeping = Keeping::disk;
      settings.buffer = all ? 1 << 30 : 10'000;
      same(all ? "disk at once" : "disk in parts", memory, calculate(settings));
    }
    settings.keeping = Keeping::direct;
    same("direct", memory, calculate(settings));
    settings.dynamic = true;
    same("direct, dynamic balance", memory, calculate(settings));
    settings.keeping = Keeping::memory;
    same("memory, dynamic balance", memory, calculate(settings));
  }

  void same(const std::string& name, const Result& memory, const Result& other) {
    checks_.equal(name + " and in memory: energy", energy_of(other), energy_of(memory),
                  "parts are added as integers, so that their order changes nothing");
    checks_.equal(name + " and in memory: densities",
                  largest_difference(other.density, memory.density), 0.0,
                  "parts are added as integers, so that their order changes nothing");
  }

  void mixings() {
    Settings settings = settings_of(acene(1, {1.397, 1.084}), "sto-3g");
    settings.guess = Guess::core;
    const double energy = reference_of(settings.molecule, settings.basis)->energy;
    auto converged = [&](Mixing mixing, double threshold) {
      settings.mixing = mixing, settings.threshold = threshold;
      return calculate(settings);
    };
    auto iterations = [&](const Result& result) {
      return static_cast<double>(result.history.size()) + (run_.damaged() ? 100.0 : 0.0);
    };
    constexpr const char* second_order = "of second order in the density";
    const Result diis = converged(Mixing::diis, 1e-6), plain = converged(Mixing::plain, 1e-5);
    checks_.absolute("diis: energy", energy_of(diis), energy, 1e-8, second_order);
    checks_.at_most("diis: iterations", iterations(diis), 11.0,
                    "published: ten or fewer to 1e-8 hartree");
    checks_.absolute("plain: energy", energy_of(plain), energy, 1e-8, second_order);
    checks_.absolute("plain: iterations", iterations(plain), 9.0, 3.0,
                     "another program's plain iteration takes 7 to 9");
    checks_.absolute("damped by 0.8: energy", energy_of(converged(Mixing::damped, 1e-10)), energy,
                     1e-8, "of first order: a sum of densities is no density of orbitals");
    checks_.absolute("damped by 0.8: iterations", iterations(converged(Mixing::damped, 1e-5)), 63.0,
                     8.0, "another program takes 55 to 70 by its measures of convergence");
  }

  void moved() {
    const Molecule water = named_molecule("water_crawford");
    const double before =
        energy_of(Calculation(settings_of(water, "6-31g"), "", world_, run_.phases()).run());
    const double after =
        energy_of(calculate(settings_of(turned(water, 0.7, {3.0, -5.0, 11.0}), "6-31g")));
    checks_.absolute("turned and moved: energy", after, before, 1e-10,
                     "roundings of integrals and their sums");
  }

  // (ab|cd) in its eight orders, of shells of water in 6-31G.
  void symmetry_of_integrals() {
    Basis basis = basis_of(named_molecule("water"), "6-31g");
    normalise(basis);
    const int a = 1, b = 2, c = 3, d = 5;  // s and p, s and p, s, s
    auto sum = [&](int i, int j, int k, int l, std::array<int, 4> weights) {
      const PairList bra(basis, type_of(basis, {i, j}), {{i, j}});
      const PairList ket(basis, type_of(basis, {k, l}), {{k, l}});
      std::vector<double> out(static_cast<std::size_t>(lanes) * most_of_quartet);
      repulsion(bra, 0, ket, 0, out.data());
      // One number of all integrals of the quartet: each function has a weight of its own.
      const int columns = products(ket.type());
      const int nj = basis.shells[j].functions(), nl = basis.shells[l].functions();
      double total = 0.0;
      for (int ab = 0; ab < products(bra.type()); ++ab)
        for (int cd = 0; cd < columns; ++cd)
          total += out[std::size_t(ab) * columns + cd] * (1 + weights[0] * (ab / nj)) *
                   (1 + weights[1] * (ab % nj)) * (1 + weights[2] * (cd / nl)) *
                   (1 + weights[3] * (cd % nl));
      return total;
    };
    const double first = sum(a, b, c, d, {3, 7, 1, 1});
    const double spoiled = run_.damaged() ? 1e-9 : 0.0;
    double apart = spoiled;
    for (const double other : {sum(b, a, c, d, {7, 3, 1, 1}), sum(a, b, d, c, {3, 7, 1, 1}),
                               sum(b, a, d, c, {7, 3, 1, 1}), sum(c, d, a, b, {1, 1, 3, 7}),
                               sum(d, c, a, b, {1, 1, 3, 7}), sum(c, d, b, a, {1, 1, 7, 3}),
                               sum(d, c, b, a, {1, 1, 7, 3})})
      apart = std::max(apart, std::abs(other - first) / std::abs(first));
    checks_.at_most("eight orders of (ab|cd): relative difference", apart, 1e-13,
                    "roundings of the recursions");
  }

  harness::Run& run_;
  const parallel::Communicator& world_;
  base::Checks& checks_;
};

}  // namespace

double virial_ratio(const Settings&, const Result& result) {
  const double kinetic = expectation(result.density, result.one_electron.kinetic);
  return (kinetic - energy_of(result)) / kinetic;
}

std::vector<double> mulliken_charges(const Settings& settings, const Result& result) {
  const int n = result.functions();
  const Matrix ps = times_overlap(result, result.density);
  std::vector<double> charges;
  for (const Atom& atom : settings.molecule.atoms) charges.push_back(atom.element);
  for (const Shell& shell : result.basis.shells)
    for (int i = shell.first; i < shell.first + shell.functions(); ++i)
      charges[static_cast<std::size_t>(shell.atom)] -= ps[std::size_t(i) * n + i];
  return charges;
}

void check_result(const Settings& settings, const Result& result, base::Checks& checks) {
  const int n = result.functions();
  const Step& last = result.history.back();
  const Matrix ps = times_overlap(result, result.density);
  double trace = 0.0;
  for (int i = 0; i < n; ++i) trace += ps[std::size_t(i) * n + i];
  checks.at_most("largest change of a density element", last.change, settings.threshold,
                 "the threshold that was asked for");
  checks.absolute("Tr(PS)", trace, settings.molecule.electrons(),
                  1e-10 * std::max(1, settings.molecule.electrons()),
                  "roundings of sums over the functions");
  const Reference* reference = reference_of(settings.molecule, settings.basis);
  if (reference != nullptr)
    checks.absolute("energy", last.energy, reference->energy,
                    1e-8 + 1e3 * settings.screening +
                        n * n * settings.threshold *
                            (settings.mixing == Mixing::damped ? 1.0 : settings.threshold),
                    "PySCF; of second order in the density, of first if it is damped, and in what "
                    "is screened");
}

void verify_all(harness::Run& run, const parallel::Communicator& world, base::Checks& checks) {
  Verification(run, world, checks).all();
}

}  // namespace hakaru::apps::hartree_fock
