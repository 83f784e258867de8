#include "apps/lattice_qcd/su3.hpp"

#include <cmath>

#include "apps/lattice_qcd/larger.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

// The third row of a unitary matrix of determinant 1.
void complete(Matrix& u) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    u.e[2][i] = std::conj(u.e[0][j] * u.e[1][k] - u.e[0][k] * u.e[1][j]);
  }
}

void normalise(Complex (&row)[3]) {
  const double norm = std::sqrt(std::norm(row[0]) + std::norm(row[1]) + std::norm(row[2]));
  for (Complex& number : row) number /= norm;
}

}  // namespace

Complex determinant(const Matrix& a) {
  Complex sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum += a.e[0][i] * (a.e[1][j] * a.e[2][k] - a.e[1][k] * a.e[2][j]);
  }
  return sum;
}

double distance_from_su3(const Matrix& u) {
  const Matrix square = adjoint(u) * u;
  double worst = std::abs(determinant(u) - 1.0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      worst = larger(worst, std::abs(square.e[i][j] - (i == j ? 1.0 : 0.0)));
  return worst;
}

Matrix reunitarised(const Matrix& u) {
  Matrix out = u;
  normalise(out.e[0]);
  Complex overlap = 0.0;
  for (int i = 0; i < 3; ++i) overlap += std::conj(out.e[0][i]) * out.e[1][i];
  for (int i = 0; i < 3; ++i) out.e[1][i] -= overlap * out.e[0][i];
  normalise(out.e[1]);
  complete(out);
  return out;
}

Matrix random_su3(Random random) {
  Matrix u;
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 3; ++column) {
      const double re = random.normal();
      u.e[row][column] = {re, random.normal()};
    }
  return reunitarised(u);
}

}  // namespace hakaru::apps::lattice_qcd
