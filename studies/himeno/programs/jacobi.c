/* The benchmark's loop as it is published: two sweeps an iteration, the second copies. The sum of
 * squares is single along a row and double over rows. */
enum { nx = NX, ny = NY, nz = NZ };
typedef REAL Grid[nz + 1][ny + 1][nx + 1];

double jacobi(long iterations, Grid* restrict p_, Grid* restrict a, Grid* restrict b,
              Grid* restrict c, Grid* restrict bnd_, Grid* restrict wrk1_, Grid* restrict wrk2_) {
  REAL(*restrict p)
  [ny + 1][nx + 1] = *p_,
                (*restrict bnd)[ny + 1][nx + 1] = *bnd_, (*restrict wrk1)[ny + 1][nx + 1] = *wrk1_,
                (*restrict wrk2)[ny + 1][nx + 1] = *wrk2_;
  const REAL omega = (REAL)0.8;
  double gosa = 0.0;
  for (long n = 0; n < iterations; n++) {
    gosa = 0.0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : gosa)
    for (int k = 1; k < nz - 1; k++)
      for (int j = 1; j < ny - 1; j++) {
        REAL row = 0;
        for (int i = 1; i < nx - 1; i++) {
          const REAL s0 = a[0][k][j][i] * p[k + 1][j][i] + a[1][k][j][i] * p[k][j + 1][i] +
                          a[2][k][j][i] * p[k][j][i + 1] +
                          b[0][k][j][i] * (p[k + 1][j + 1][i] - p[k + 1][j - 1][i] -
                                           p[k - 1][j + 1][i] + p[k - 1][j - 1][i]) +
                          b[1][k][j][i] * (p[k][j + 1][i + 1] - p[k][j - 1][i + 1] -
                                           p[k][j + 1][i - 1] + p[k][j - 1][i - 1]) +
                          b[2][k][j][i] * (p[k + 1][j][i + 1] - p[k - 1][j][i + 1] -
                                           p[k + 1][j][i - 1] + p[k - 1][j][i - 1]) +
                          c[0][k][j][i] * p[k - 1][j][i] + c[1][k][j][i] * p[k][j - 1][i] +
                          c[2][k][j][i] * p[k][j][i - 1] + wrk1[k][j][i];
          const REAL ss = (s0 * a[3][k][j][i] - p[k][j][i]) * bnd[k][j][i];
          row += ss * ss;
          wrk2[k][j][i] = p[k][j][i] + omega * ss;
        }
        gosa += row;
      }
#pragma omp parallel for num_threads(THREADS)
    for (int k = 1; k < nz - 1; k++)
      for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++) p[k][j][i] = wrk2[k][j][i];
  }
  return gosa;
}
