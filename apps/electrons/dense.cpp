#include "apps/electrons/dense.hpp"

#include <cblas.h>
#include <omp.h>
#define lapack_complex_double std::complex<double>
#define lapack_complex_float std::complex<float>
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "apps/electrons/orbitals.hpp"
#include "native/base/blas_threads.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr Complex one = 1.0, zero = 0.0;

// Vectors of this thread. None gets a single one of several: the BLAS has another routine for it,
// which rounds differently.
Part vectors_of_thread(int count) {
  const int pairs = std::max(count / 2, 1);
  const Part mine = part_of(pairs, omp_get_thread_num(), omp_get_num_threads());
  if (mine.count() == 0) return {0, 0};
  return {2 * mine.first, mine.last == pairs ? count : 2 * mine.last};
}

}  // namespace

std::vector<Complex> overlaps(const Block& a, const Block& b) {
  std::vector<Complex> result(std::size_t(a.count) * b.count);
  if (result.empty()) return result;
  const int length = static_cast<int>(a.length);
#pragma omp parallel
  {
    base::use_common_blas_method();
    const Part mine = vectors_of_thread(b.count);
    if (mine.count() > 0)
      cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, a.count, mine.count(), length, &one,
                  a.values.data(), length, b.vector(mine.first), length, &zero,
                  result.data() + std::size_t(mine.first) * a.count, a.count);
  }
  return result;
}

void combine(const Block& a, const Complex* c, int leading, Block& out, bool add) {
  if (a.count == 0 || out.count == 0) return;
  const int length = static_cast<int>(a.length);
#pragma omp parallel
  {
    base::use_common_blas_method();
    const Part mine = vectors_of_thread(out.count);
    if (mine.count() > 0)
      cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, length, mine.count(), a.count, &one,
                  a.values.data(), length, c + std::size_t(mine.first) * leading, leading,
                  add ? &one : &zero, out.vector(mine.first), length);
  }
}

int eigen_generalised(int n, std::vector<Complex>& h, std::vector<Complex>& s,
                      std::vector<double>& values) {
  // Directions of the span that are independent to rounding, orthonormalised: T = U / sqrt(s).
  constexpr double dependent = 1e-7;
  std::vector<double> weight(n);
  if (LAPACKE_zheevd(LAPACK_COL_MAJOR, 'V', 'U', n, s.data(), n, weight.data()) != 0) return 0;
  int first = 0;
  while (first < n && !(weight[first] > dependent)) ++first;
  const int kept = n - first;
  for (int i = first; i < n; ++i)
    for (int j = 0; j < n; ++j) s[std::size_t(i) * n + j] /= std::sqrt(weight[i]);
  const Complex* t = s.data() + std::size_t(first) * n;
  std::vector<Complex> ht(std::size_t(n) * kept), reduced(std::size_t(kept) * kept);
  cblas_zhemm(CblasColMajor, CblasLeft, CblasUpper, n, kept, &one, h.data(), n, t, n, &zero,
              ht.data(), n);
  cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, kept, kept, n, &one, t, n, ht.data(), n,
              &zero, reduced.data(), kept);
  values.resize(kept);
  if (LAPACKE_zheevd(LAPACK_COL_MAJOR, 'V', 'U', kept, reduced.data(), kept, values.data()) != 0)
    return 0;
  cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, kept, kept, &one, t, n, reduced.data(),
              kept, &zero, h.data(), n);
  return kept;
}

}  // namespace hakaru::apps::electrons
