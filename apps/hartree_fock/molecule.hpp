// Nuclei and electrons. Positions in bohr, charges in elementary charges.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace hakaru::apps::hartree_fock {

// CODATA 2010, the value behind the reference energies of README.md.
inline constexpr double bohr_in_angstrom = 0.52917721092;
// H to Ne: the elements whose bases are here.
inline constexpr int heaviest = 10;

using Point = std::array<double, 3>;

struct Atom {
  int element;  // atomic number
  Point at;     // bohr
};

struct Molecule {
  std::string name;
  std::vector<Atom> atoms;
  int charge = 0;

  int electrons() const;
  // Sum over pairs of Z_a Z_b / |R_a - R_b|, hartree.
  double nuclear_repulsion() const;
};

// Atomic number of a symbol, in any case; 0 when it is none of H to Ne.
int element_of(const std::string& symbol);
const char* symbol_of(int element);

// Throws UserError(usage) unless the electrons are pairs, there is one atom or more, positions are
// finite, and no two atoms are nearer than 0.1 angstrom.
void require_closed_shell(const Molecule& molecule);

// Lengths of bonds of a polyacene, angstrom.
struct Bonds {
  double carbon_carbon, carbon_hydrogen;
};

// `rings` regular hexagons in a line, C(4n+2) H(2n+4): benzene, naphthalene, anthracene, ...
Molecule acene(int rings, const Bonds& bonds);
// hydrogen, helium_hydride, methane, water, water_crawford: geometries of README.md.
Molecule named_molecule(const std::string& name);
std::vector<std::string> molecule_names();

// An XYZ file: number of atoms, a comment, then symbol and position in angstrom a line. Throws
// UserError: environment when it cannot be read, usage when a line cannot be used.
Molecule read_xyz(const std::string& path);
// The same of a text; `path` is for messages.
Molecule parse_xyz(const std::string& text, const std::string& path);

// Turned by a proper rotation about an oblique axis and moved: the same molecule.
Molecule turned(const Molecule& molecule, double angle, const Point& shift);

}  // namespace hakaru::apps::hartree_fock
