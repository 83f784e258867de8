// Contracted Gaussian functions of s and p type around the atoms.
#pragma once

#include <string>
#include <vector>

#include "apps/hartree_fock/molecule.hpp"

namespace hakaru::apps::hartree_fock {

// exp(-exponent r^2), with the contraction's coefficient of the s function and that of x, y and z.
struct Primitive {
  double exponent;  // 1 / bohr^2
  double s, p;      // of normalised primitives before normalise(), of bare ones after it
};

// Functions of one centre with the same exponents: s, or s, x, y, z (Pople's shells).
struct Shell {
  int atom;
  Point at;     // bohr
  bool with_p;  // four functions instead of one
  int first;    // index of its first function
  std::vector<Primitive> primitives;

  int functions() const { return with_p ? 4 : 1; }
};

struct Basis {
  std::vector<Shell> shells;
  int functions = 0;
};

// Shells of one element as published: coefficients of normalised primitives.
struct PublishedShell {
  bool with_p;
  std::vector<Primitive> primitives;
};
// STO-3G: Hehre, Stewart, Pople (J. Chem. Phys. 51, 2657, 1969) and Collins et al. (64, 5142,
// 1976). 6-31G: Hehre, Ditchfield, Pople (56, 2257, 1972), Dill, Pople (62, 2921, 1975).
const std::vector<PublishedShell>& sto_3g(int element);
const std::vector<PublishedShell>& six_31g(int element);

// `name`: sto-3g or 6-31g. Coefficients are as published.
Basis basis_of(const Molecule& molecule, const std::string& name);

// Coefficients become those of bare Gaussians, such that every contracted function has <f|f> = 1.
void normalise(Basis& basis);

}  // namespace hakaru::apps::hartree_fock
