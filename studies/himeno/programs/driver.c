/* Iterations of the Himeno benchmark: the residual of the third, then seconds of an iteration.
 * program NX NY NZ SAMPLES LEAST_S; REAL is the type of all arrays. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

double jacobi(long iterations, REAL* p, REAL* a, REAL* b, REAL* c, REAL* bnd, REAL* wrk1,
              REAL* wrk2);

enum { HUGE_PAGE = 1 << 21 };

/* Arrays have one point more along each axis than the grid, as the benchmark's have, so that they
 * do not lie a power of two apart. */
static REAL* block(long count, REAL value) {
  const size_t bytes = sizeof(REAL) * (size_t)count;
  const size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  REAL* place = aligned_alloc(HUGE_PAGE, whole);
  if (!place) exit(3);
  madvise(place, whole, MADV_HUGEPAGE);
  for (long i = 0; i < count; i++) place[i] = value;
  return place;
}

static double now(void) {
  struct timespec told;
  clock_gettime(CLOCK_MONOTONIC, &told);
  return (double)told.tv_sec + 1e-9 * (double)told.tv_nsec;
}

int main(int count, char** words) {
  if (count != 6) return 2;
  const long nx = atol(words[1]), ny = atol(words[2]), nz = atol(words[3]);
  const int samples = atoi(words[4]);
  const double least_s = atof(words[5]);
  if (nx < 3 || ny < 3 || nz < 3) return 2;
  const long plane = (nx + 1) * (ny + 1), points = plane * (nz + 1);
  REAL *p = block(points, 0), *a = block(4 * points, 1), *b = block(3 * points, 0),
       *c = block(3 * points, 1), *bnd = block(points, 1), *wrk1 = block(points, 0),
       *wrk2 = block(points, 0);
  for (long i = 0; i < points; i++) {
    const REAL slow = (REAL)(i / plane) / (REAL)(nz - 1);
    p[i] = slow * slow;
    a[3 * points + i] = (REAL)1 / (REAL)6;
  }
  printf("gosa %.12e\n", jacobi(3, p, a, b, c, bnd, wrk1, wrk2));
  for (int i = 0; i < samples; i++) {
    double spent = 0.0;
    long iterations = 0;
    for (long batch = 1; spent < least_s; batch *= 2) {
      const double begin = now();
      jacobi(batch, p, a, b, c, bnd, wrk1, wrk2);
      spent += now() - begin;
      iterations += batch;
    }
    printf("seconds %.9e\n", spent / (double)iterations);
  }
  return 0;
}
