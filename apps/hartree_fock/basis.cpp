#include "apps/hartree_fock/basis.hpp"

#include <cmath>
#include <numbers>

namespace hakaru::apps::hartree_fock {
namespace {

// <x^l exp(-a r^2) | x^l exp(-b r^2)>, l = 0 or 1: (pi / p)^(3/2) (1 / (2 p))^l with p = a + b.
double overlap(double a, double b, int l) {
  const double p = a + b;
  return std::pow(std::numbers::pi / p, 1.5) * (l == 0 ? 1.0 : 0.5 / p);
}

void normalise(std::vector<Primitive>& primitives, double Primitive::*coefficient, int l) {
  for (Primitive& one : primitives)
    one.*coefficient /= std::sqrt(overlap(one.exponent, one.exponent, l));
  double norm = 0.0;
  for (const Primitive& a : primitives)
    for (const Primitive& b : primitives)
      norm += a.*coefficient * b.*coefficient * overlap(a.exponent, b.exponent, l);
  if (norm > 0.0)
    for (Primitive& one : primitives) one.*coefficient /= std::sqrt(norm);
}

}  // namespace

Basis basis_of(const Molecule& molecule, const std::string& name) {
  Basis basis;
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    const Atom& atom = molecule.atoms[i];
    for (const PublishedShell& shell :
         name == "sto-3g" ? sto_3g(atom.element) : six_31g(atom.element)) {
      basis.shells.push_back(
          {static_cast<int>(i), atom.at, shell.with_p, basis.functions, shell.primitives});
      basis.functions += basis.shells.back().functions();
    }
  }
  return basis;
}

void normalise(Basis& basis) {
  for (Shell& shell : basis.shells) {
    normalise(shell.primitives, &Primitive::s, 0);
    if (shell.with_p) normalise(shell.primitives, &Primitive::p, 1);
  }
}

}  // namespace hakaru::apps::hartree_fock
