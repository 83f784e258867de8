#include "apps/matmul/multiply.hpp"

#include <omp.h>

#include "native/base/share.hpp"

extern "C" void dgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                       const int* k, const double* alpha, const double* a, const int* leading_a,
                       const double* b, const int* leading_b, const double* beta, double* c,
                       const int* leading_c);

namespace hakaru::apps::matmul {
namespace {

// By columns, as BLAS counts, the product of matrices held by rows is C^T += B^T A^T.
void multiply_part(std::int64_t m_, std::int64_t n_, std::int64_t k_, const Panel& a,
                   const Panel& b, double* c, std::int64_t leading_c) {
  if (m_ == 0 || n_ == 0 || k_ == 0) return;
  const int m = static_cast<int>(m_), n = static_cast<int>(n_), k = static_cast<int>(k_);
  const int pitch_a = static_cast<int>(a.leading), pitch_b = static_cast<int>(b.leading),
            pitch_c = static_cast<int>(leading_c);
  const double one = 1.0;
  dgemm_("N", "N", &n, &m, &k, &one, b.elements, &pitch_b, a.elements, &pitch_a, &one, c, &pitch_c);
}

}  // namespace

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Panel& a, const Panel& b,
              double* c, std::int64_t leading_c) {
#pragma omp parallel
  {
    const bool rows = m > n;
    const base::Share own =
        base::share_of(rows ? m : n, omp_get_thread_num(), omp_get_num_threads());
    if (rows)
      multiply_part(own.count, n, k, {a.elements + own.first * a.leading, a.leading}, b,
                    c + own.first * leading_c, leading_c);
    else
      multiply_part(m, own.count, k, a, {b.elements + own.first, b.leading}, c + own.first,
                    leading_c);
  }
}

}  // namespace hakaru::apps::matmul
