#include "apps/electrons/ewald.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hakaru::apps::electrons {
namespace {

using std::numbers::pi;

template <typename Body>
void for_each_lattice_point(const Shape& reach, Body&& body) {
  for (int i = -reach[0]; i <= reach[0]; ++i)
    for (int j = -reach[1]; j <= reach[1]; ++j)
      for (int k = -reach[2]; k <= reach[2]; ++k) body(i, j, k);
}

// Beyond these exp(-36) is left of the sums.
constexpr double decay = 6.0;

double real_space(const Crystal& c, double eta) {
  Shape reach;
  for (int d = 0; d < 3; ++d) reach[d] = static_cast<int>(decay / eta / c.lengths[d]) + 1;
  double sum = 0.0;
  for (const Atom& a : c.atoms)
    for (const Atom& b : c.atoms)
      for_each_lattice_point(reach, [&](int i, int j, int k) {
        const Vector apart{a.place[0] - b.place[0] + i * c.lengths[0],
                           a.place[1] - b.place[1] + j * c.lengths[1],
                           a.place[2] - b.place[2] + k * c.lengths[2]};
        const double r = std::sqrt(dot(apart, apart));
        if (r > 1e-9) sum += 0.5 * c.of(a).valence * c.of(b).valence * std::erfc(eta * r) / r;
      });
  return sum;
}

double reciprocal_space(const Crystal& c, double eta) {
  const double volume = c.lengths[0] * c.lengths[1] * c.lengths[2];
  Shape reach;
  for (int d = 0; d < 3; ++d)
    reach[d] = static_cast<int>(2.0 * decay * eta * c.lengths[d] / (2.0 * pi)) + 1;
  double sum = 0.0;
  for_each_lattice_point(reach, [&](int i, int j, int k) {
    const Vector g{2 * pi * i / c.lengths[0], 2 * pi * j / c.lengths[1], 2 * pi * k / c.lengths[2]};
    const double g2 = dot(g, g);
    if (g2 < 1e-12) return;
    Complex structure = 0.0;
    for (const Atom& a : c.atoms) structure += c.of(a).valence * std::polar(1.0, dot(g, a.place));
    sum += 2.0 * pi / volume * std::exp(-g2 / (4.0 * eta * eta)) / g2 * std::norm(structure);
  });
  return sum;
}

}  // namespace

double ewald_energy(const Crystal& c, double splitting) {
  const double volume = c.lengths[0] * c.lengths[1] * c.lengths[2];
  const double eta = splitting > 0.0 ? splitting : 2.5 / std::cbrt(volume);
  double charge = 0.0, squares = 0.0;
  for (const Atom& a : c.atoms)
    charge += c.of(a).valence, squares += c.of(a).valence * c.of(a).valence;
  return real_space(c, eta) + reciprocal_space(c, eta) - eta / std::sqrt(pi) * squares -
         pi / (2.0 * volume * eta * eta) * charge * charge;
}

}  // namespace hakaru::apps::electrons
