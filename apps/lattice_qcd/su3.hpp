// 3 x 3 complex matrices, links among them, in double precision.
#pragma once

#include <array>
#include <complex>

#include "native/base/keyed_random.hpp"

namespace hakaru::apps::lattice_qcd {

using Complex = std::complex<double>;
using Random = base::KeyedRandom;

struct Matrix {
  Complex e[3][3] = {};

  static Matrix identity() {
    Matrix m;
    for (int i = 0; i < 3; ++i) m.e[i][i] = 1.0;
    return m;
  }
  Matrix& operator+=(const Matrix& other) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) e[i][j] += other.e[i][j];
    return *this;
  }
};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.e[i][j] = a.e[i][0] * b.e[0][j] + a.e[i][1] * b.e[1][j] + a.e[i][2] * b.e[2][j];
  return c;
}

inline Matrix adjoint(const Matrix& a) {
  Matrix c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) c.e[i][j] = std::conj(a.e[j][i]);
  return c;
}

// Re Tr(a b)
inline double trace_of_product(const Matrix& a, const Matrix& b) {
  double sum = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sum += a.e[i][j].real() * b.e[j][i].real() - a.e[i][j].imag() * b.e[j][i].imag();
  return sum;
}

Complex determinant(const Matrix& a);
// max |(U^dagger U - 1)_ij| and |det U - 1|, the larger of both.
double distance_from_su3(const Matrix& u);
// The nearest in the sense of Gram and Schmidt: rows made orthonormal, the third is the cross
// product of the others.
Matrix reunitarised(const Matrix& u);
// Uniform in SU(3) (Haar): rows of normal numbers made orthonormal.
Matrix random_su3(Random random);

}  // namespace hakaru::apps::lattice_qcd
