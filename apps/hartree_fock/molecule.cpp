#include "apps/hartree_fock/molecule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "native/base/require.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

constexpr const char* symbols[] = {"H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne"};
constexpr double nearest_angstrom = 0.1;

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Molecule from_angstrom(std::string name, std::vector<Atom> atoms, int charge = 0) {
  for (Atom& atom : atoms)
    for (double& x : atom.at) x /= bohr_in_angstrom;
  return {std::move(name), std::move(atoms), charge};
}

}  // namespace

int Molecule::electrons() const {
  int sum = -charge;
  for (const Atom& atom : atoms) sum += atom.element;
  return sum;
}

double Molecule::nuclear_repulsion() const {
  double sum = 0.0;
  for (std::size_t a = 0; a < atoms.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      sum += atoms[a].element * atoms[b].element / distance(atoms[a].at, atoms[b].at);
  return sum;
}

int element_of(const std::string& symbol) {
  std::string wanted = symbol;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto letter = static_cast<unsigned char>(wanted[i]);
    wanted[i] = static_cast<char>(i == 0 ? std::toupper(letter) : std::tolower(letter));
  }
  const auto found = std::find(std::begin(symbols), std::end(symbols), wanted);
  return found == std::end(symbols) ? 0 : static_cast<int>(found - std::begin(symbols)) + 1;
}

const char* symbol_of(int element) { return symbols[element - 1]; }

void require_closed_shell(const Molecule& molecule) {
  const auto& atoms = molecule.atoms;
  base::require(!atoms.empty(), "there are no atoms", molecule.name, "give a molecule");
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    const Point& at = atoms[a].at;
    base::require(std::isfinite(at[0]) && std::isfinite(at[1]) && std::isfinite(at[2]),
                  fmt::format("atom {} of {} has no position", a + 1, molecule.name),
                  "a coordinate is not a finite number", "correct it");
    for (std::size_t b = 0; b < a; ++b) {
      const double apart = distance(at, atoms[b].at) * bohr_in_angstrom;
      base::require(apart >= nearest_angstrom,
                    fmt::format("atoms {} and {} of {} overlap", b + 1, a + 1, molecule.name),
                    fmt::format("they are {:.3g} angstrom apart", apart),
                    "correct the positions; they are in angstrom");
    }
  }
  const int electrons = molecule.electrons();
  base::require(electrons > 0 && electrons % 2 == 0,
                fmt::format("{} has {} electrons", molecule.name, electrons),
                "restricted Hartree-Fock fills orbitals with two electrons each",
                "give a charge that leaves an even number of them");
}

Molecule acene(int rings, const Bonds& bonds) {
  // Hexagons share edges along y; their centres stand sqrt(3) CC apart on the x axis.
  const double cc = bonds.carbon_carbon, ch = bonds.carbon_hydrogen;
  const double width = std::numbers::sqrt3 * cc;
  std::vector<Atom> carbon, hydrogen;
  for (const double side : {1.0, -1.0}) {
    for (int k = 0; k <= rings; ++k)
      carbon.push_back({6, {(k - 0.5 * rings) * width, side * 0.5 * cc, 0.0}});
    for (int k = 0; k < rings; ++k) {
      const double x = (k - 0.5 * (rings - 1)) * width;
      carbon.push_back({6, {x, side * cc, 0.0}});
      hydrogen.push_back({1, {x, side * (cc + ch), 0.0}});
    }
    for (const double end : {1.0, -1.0})
      hydrogen.push_back({1,
                          {end * (0.5 * rings * width + 0.5 * std::numbers::sqrt3 * ch),
                           side * 0.5 * (cc + ch), 0.0}});
  }
  carbon.insert(carbon.end(), hydrogen.begin(), hydrogen.end());
  return from_angstrom(rings == 1 ? "benzene" : fmt::format("acene of {} rings", rings),
                       std::move(carbon));
}

std::vector<std::string> molecule_names() {
  return {"hydrogen", "helium_hydride", "methane", "water", "water_crawford"};
}

Molecule named_molecule(const std::string& name) {
  if (name == "hydrogen") return {name, {{1, {0, 0, 0}}, {1, {0, 0, 1.4}}}, 0};
  if (name == "helium_hydride") return {name, {{2, {0, 0, 0}}, {1, {0, 0, 1.4632}}}, 1};
  if (name == "methane") {
    constexpr double r = 0.6291;
    return from_angstrom(
        name,
        {{6, {0, 0, 0}}, {1, {r, r, r}}, {1, {r, -r, -r}}, {1, {-r, r, -r}}, {1, {-r, -r, r}}});
  }
  if (name == "water")
    return from_angstrom(name, {{8, {0, 0, 0}}, {1, {0, 0.757, 0.587}}, {1, {0, -0.757, 0.587}}});
  base::require(name == "water_crawford", "there is no molecule " + name, "",
                "see the list in help");
  // The geometry of D. Crawford's programming projects, in bohr.
  return {name,
          {{8, {0, -0.143225816552, 0}},
           {1, {1.638036840407, 1.136548822547, 0}},
           {1, {-1.638036840407, 1.136548822547, 0}}},
          0};
}

Molecule turned(const Molecule& molecule, double angle, const Point& shift) {
  // Rodrigues' formula about the axis (1, 2, 3) / sqrt(14).
  const double n[3] = {1 / std::sqrt(14.0), 2 / std::sqrt(14.0), 3 / std::sqrt(14.0)};
  const double c = std::cos(angle), s = std::sin(angle);
  Molecule result = molecule;
  for (Atom& atom : result.atoms) {
    const Point x = atom.at;
    const double along = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      atom.at[i] = c * x[i] + s * (n[j] * x[k] - n[k] * x[j]) + (1 - c) * along * n[i] + shift[i];
    }
  }
  return result;
}

}  // namespace hakaru::apps::hartree_fock
