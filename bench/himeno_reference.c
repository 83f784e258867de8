// The Himeno iteration as a straightforward C loop: fourteen separate arrays one point larger than
// the grid along every axis (the benchmark's own remedy against cache-set conflicts), unit stride,
// vectorised by the compiler, a copy loop, OpenMP over planes. Compile with -DNX=... -DNY=...
// -DNZ=... (NX unit stride); arguments: iterations repetitions; prints flop/s and gosa of each
// repetition.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef float Array[NZ + 1][NY + 1][NX + 1];
static Array p, a[4], b[3], c[3], bnd, wrk1, wrk2;

static void initialise(void) {
#pragma omp parallel for
  for (int k = 0; k < NZ; ++k)
    for (int j = 0; j < NY; ++j)
      for (int i = 0; i < NX; ++i) {
        p[k][j][i] = (float)(k * k) / (float)((NZ - 1) * (NZ - 1));
        for (int m = 0; m < 3; ++m) {
          a[m][k][j][i] = 1.0f;
          b[m][k][j][i] = 0.0f;
          c[m][k][j][i] = 1.0f;
        }
        a[3][k][j][i] = 1.0f / 6.0f;
        bnd[k][j][i] = 1.0f;
        wrk1[k][j][i] = 0.0f;
        wrk2[k][j][i] = 0.0f;
      }
}

static double iterate(void) {
  const float omega = 0.8f;
  double gosa = 0.0;
#pragma omp parallel for reduction(+ : gosa)
  for (int k = 1; k < NZ - 1; ++k)
    for (int j = 1; j < NY - 1; ++j) {
      float row = 0.0f;
#pragma omp simd reduction(+ : row)
      for (int i = 1; i < NX - 1; ++i) {
        const float s0 = a[0][k][j][i] * p[k + 1][j][i] + a[1][k][j][i] * p[k][j + 1][i] +
                         a[2][k][j][i] * p[k][j][i + 1] +
                         b[0][k][j][i] * (p[k + 1][j + 1][i] - p[k + 1][j - 1][i] -
                                          p[k - 1][j + 1][i] + p[k - 1][j - 1][i]) +
                         b[1][k][j][i] * (p[k][j + 1][i + 1] - p[k][j - 1][i + 1] -
                                          p[k][j + 1][i - 1] + p[k][j - 1][i - 1]) +
                         b[2][k][j][i] * (p[k + 1][j][i + 1] - p[k - 1][j][i + 1] -
                                          p[k + 1][j][i - 1] + p[k - 1][j][i - 1]) +
                         c[0][k][j][i] * p[k - 1][j][i] + c[1][k][j][i] * p[k][j - 1][i] +
                         c[2][k][j][i] * p[k][j][i - 1] + wrk1[k][j][i];
        const float ss = (s0 * a[3][k][j][i] - p[k][j][i]) * bnd[k][j][i];
        row += ss * ss;
        wrk2[k][j][i] = p[k][j][i] + omega * ss;
      }
      gosa += row;
    }
#pragma omp parallel for
  for (int k = 1; k < NZ - 1; ++k)
    for (int j = 1; j < NY - 1; ++j)
      for (int i = 1; i < NX - 1; ++i) p[k][j][i] = wrk2[k][j][i];
  return gosa;
}

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  const int iterations = atoi(arguments[1]), repetitions = atoi(arguments[2]);
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    initialise();
    double gosa = 0.0;
    const double start = omp_get_wtime();
    for (int i = 0; i < iterations; ++i) gosa = iterate();
    const double elapsed = omp_get_wtime() - start;
    if (repetition >= 0)
      printf("%.9e %.9e\n", 34.0 * (NX - 2) * (NY - 2) * (NZ - 2) * iterations / elapsed, gosa);
  }
  return 0;
}
