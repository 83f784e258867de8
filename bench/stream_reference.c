/* Plain OpenMP loops by STREAM's rules, to compare the probe memory_bandwidth with: four kernels in
   turn on three arrays, each timed from outside of its parallel loop. */
#include <omp.h>

static const double scalar = 0.41421356237309504880;

/* One run of copy, scale, add and triad on arrays of n elements; gives their seconds. */
void stream_reference(double* restrict a, double* restrict b, double* restrict c, long n,
                      int threads, double seconds[4]) {
  double start = omp_get_wtime();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long i = 0; i < n; ++i) c[i] = a[i];
  seconds[0] = omp_get_wtime() - start;

  start = omp_get_wtime();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long i = 0; i < n; ++i) b[i] = scalar * c[i];
  seconds[1] = omp_get_wtime() - start;

  start = omp_get_wtime();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
  seconds[2] = omp_get_wtime() - start;

  start = omp_get_wtime();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (long i = 0; i < n; ++i) a[i] = b[i] + scalar * c[i];
  seconds[3] = omp_get_wtime() - start;
}
