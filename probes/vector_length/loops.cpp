#include "probes/vector_length/loops.hpp"

#include <cmath>

// Fortran's arguments do not overlap; without this C++ would have to look.
#define HAKARU_APART __restrict__

namespace hakaru::probes::vector_length {

void daxpy(std::int64_t n, double a, const double* HAKARU_APART x, double* HAKARU_APART y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = y[i] + a * x[i];
}

double dot(std::int64_t n, const double* HAKARU_APART x, const double* HAKARU_APART y) {
  double total = 0.0;
#pragma omp simd reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += x[i] * y[i];
  return total;
}

void polynomial(std::int64_t n, const double* HAKARU_APART c, const double* HAKARU_APART x,
                double* HAKARU_APART z) {
  for (std::int64_t i = 0; i < n; ++i) {
    double value = c[9];
    for (int k = 8; k >= 0; --k) value = c[k] + x[i] * value;
    z[i] = value;
  }
}

void divide(std::int64_t n, const double* HAKARU_APART x, const double* HAKARU_APART y,
            double* HAKARU_APART z) {
  for (std::int64_t i = 0; i < n; ++i) z[i] = x[i] / y[i];
}

void gather(std::int64_t n, const std::int32_t* HAKARU_APART places, const double* HAKARU_APART x,
            double* HAKARU_APART z) {
  for (std::int64_t i = 0; i < n; ++i) z[i] = x[places[i]];
}

void scatter(std::int64_t n, const std::int32_t* HAKARU_APART places, const double* HAKARU_APART x,
             double* HAKARU_APART z) {
  for (std::int64_t i = 0; i < n; ++i) z[places[i]] = x[i];
}

void exponential(std::int64_t n, const double* HAKARU_APART x, double* HAKARU_APART z) {
  for (std::int64_t i = 0; i < n; ++i) z[i] = std::exp(x[i]);
}

}  // namespace hakaru::probes::vector_length
