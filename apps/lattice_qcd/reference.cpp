#include "apps/lattice_qcd/reference.hpp"

#include "apps/lattice_qcd/larger.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

constexpr Complex i(0.0, 1.0);

// s_k of Pauli.
std::array<std::array<Complex, 2>, 2> pauli(int k) {
  if (k == 0) return {{{0.0, 1.0}, {1.0, 0.0}}};
  if (k == 1) return {{{0.0, -i}, {i, 0.0}}};
  return {{{1.0, 0.0}, {0.0, -1.0}}};
}

Gamma product(const Gamma& a, const Gamma& b) {
  Gamma c{};
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      for (int k = 0; k < 4; ++k) c[row][column] += a[row][k] * b[k][column];
  return c;
}

}  // namespace

Gamma gamma(int axis) {
  if (axis == 4) return product(product(gamma(0), gamma(1)), product(gamma(2), gamma(3)));
  Gamma g{};
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column) {
      const Complex one = row == column ? 1.0 : 0.0;
      g[row][2 + column] = axis == 3 ? -one : -i * pauli(axis)[row][column];
      g[2 + row][column] = axis == 3 ? -one : i * pauli(axis)[row][column];
    }
  return g;
}

Spinor multiply(const Gamma& gamma, const Spinor& in) {
  Spinor out;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      for (int c = 0; c < 3; ++c) out.e[row][c] += gamma[row][column] * in.e[column][c];
  return out;
}

Spinor multiply(const Matrix& colour, const Spinor& in) {
  Spinor out;
  for (int spin = 0; spin < 4; ++spin)
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) out.e[spin][a] += colour.e[a][b] * in.e[spin][b];
  return out;
}

void add(Spinor& a, Complex factor, const Spinor& b) {
  for (int spin = 0; spin < 4; ++spin)
    for (int c = 0; c < 3; ++c) a.e[spin][c] += factor * b.e[spin][c];
}

double largest_difference(const Spinor& a, const Spinor& b) {
  double largest = 0.0;
  for (int spin = 0; spin < 4; ++spin)
    for (int c = 0; c < 3; ++c) largest = larger(largest, std::abs(a.e[spin][c] - b.e[spin][c]));
  return largest;
}

Spinor WholeLattice::apply(const std::vector<Spinor>& in, const Extents& x, double kappa,
                           bool turned) const {
  Spinor out = in[index_of(x, extents)];
  for (int mu = 0; mu < axes; ++mu) {
    Extents ahead = x, behind = x;
    ahead[mu] = (x[mu] + 1) % extents[mu];
    behind[mu] = (x[mu] + extents[mu] - 1) % extents[mu];
    const bool time = turned && mu == 3;
    const double over = time && ahead[mu] < x[mu] ? -1.0 : 1.0;
    const double under = time && behind[mu] > x[mu] ? -1.0 : 1.0;
    const Spinor forward = multiply(links[index_of(x, extents)][mu], in[index_of(ahead, extents)]);
    const Spinor backward =
        multiply(adjoint(links[index_of(behind, extents)][mu]), in[index_of(behind, extents)]);
    add(out, -kappa * over, forward);
    add(out, kappa * over, multiply(gamma(mu), forward));
    add(out, -kappa * under, backward);
    add(out, -kappa * under, multiply(gamma(mu), backward));
  }
  return out;
}

}  // namespace hakaru::apps::lattice_qcd
