#include "apps/hartree_fock/dense.hpp"

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>

namespace hakaru::apps::hartree_fock {

Matrix product(int n, const Matrix& a, const Matrix& b) {
  Matrix c(a.size());
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, b.data(), n,
              0.0, c.data(), n);
  return c;
}

double contraction(const Matrix& a, const Matrix& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= most)) most = difference;  // a NaN stays
  }
  return most;
}

Matrix transposed(int n, const Matrix& a) {
  Matrix t(a.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) t[std::size_t(j) * n + i] = a[std::size_t(i) * n + j];
  return t;
}

bool eigen(int n, Matrix& a, std::vector<double>& values) {
  values.resize(static_cast<std::size_t>(n));
  if (!std::ranges::all_of(a, [](double x) { return std::isfinite(x); })) return false;
  return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a.data(), n, values.data()) == 0;
}

bool solve(int n, std::vector<double> a, std::vector<double>& b) {
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  return LAPACKE_dsysv(LAPACK_COL_MAJOR, 'U', n, 1, a.data(), n, pivots.data(), b.data(), n) == 0;
}

}  // namespace hakaru::apps::hartree_fock
