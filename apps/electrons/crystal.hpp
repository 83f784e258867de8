// Crystals in orthorhombic cells.
#pragma once

#include <string>
#include <vector>

#include "apps/electrons/cell_grid.hpp"
#include "apps/electrons/pseudopotential.hpp"

namespace hakaru::apps::electrons {

struct Atom {
  int species = 0;
  Vector place{};  // bohr
};

struct Crystal {
  std::string name;
  Vector lengths{};  // bohr
  std::vector<Pseudopotential> species;
  std::vector<Atom> atoms;

  const Pseudopotential& of(const Atom& atom) const { return species[atom.species]; }
  int electrons() const;
  int occupied() const { return electrons() / 2; }
};

// Cubic cell of 8 atoms; the lattice constant in bohr.
Crystal diamond_structure(const std::string& name, const Pseudopotential& atom, double constant);
Crystal silicon(double constant = 10.26);
Crystal soft_silicon(double constant = 10.26);  // Appelbaum-Hamann
Crystal diamond(double constant = 6.74);
// Alpha quartz, 18 atoms: a = 9.2849 bohr, b = 1.732051 a, c = 1.100094 a.
Crystal quartz(double constant = 9.2849);
// Throws UserError(usage) for another name than silicon, silicon_soft, diamond, quartz.
Crystal crystal_of(const std::string& name, double constant);

}  // namespace hakaru::apps::electrons
