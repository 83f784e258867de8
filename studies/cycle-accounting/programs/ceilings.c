/* What bounds loops, each alone: seconds of a clock cycle; of a product with a sum, and of a
 * division, for each number of vectors in registers; of a number that the C library copies.
 * program SAMPLES CACHE_NUMBERS MEMORY_NUMBERS */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#if defined __AVX512F__
enum { BYTES = 64 };
#elif defined __AVX__
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif
typedef double Vector __attribute__((vector_size(BYTES)));
enum { LANES = BYTES / 8, CHAINS = 12, STEPS = 20000 };

static double now(void) {
  struct timespec told;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &told);
  return (double)told.tv_sec + 1e-9 * (double)told.tv_nsec;
}

#define KEEP(x) __asm__ volatile("" : "+r"(x))
#define KEEP_VECTOR(x) __asm__ volatile("" : "+m"(x))

/* Additions that wait for each other take a cycle each. */
static double cycle(void) {
  uint64_t value = 1, step = (uint64_t)STEPS;
  const double begin = now();
  for (int i = 0; i < 16 * STEPS; i++) {
    KEEP(step);
    for (int one = 0; one < 16; one++) {
      value += step;
      KEEP(value);
    }
  }
  return (now() - begin) / (256.0 * STEPS);
}

#define CHAINED(name, step)                                                  \
  static double name(void) {                                                 \
    Vector x[CHAINS], y, z;                                                  \
    for (int i = 0; i < LANES; i++) y[i] = 1.0 + 1e-9, z[i] = 1e-9;          \
    for (int i = 0; i < CHAINS; i++) x[i] = y;                               \
    KEEP_VECTOR(y);                                                          \
    KEEP_VECTOR(z);                                                          \
    const double begin = now();                                              \
    for (int one = 0; one < STEPS; one++)                                    \
      _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) x[i] = step; \
    const double spent = now() - begin;                                      \
    for (int i = 0; i < CHAINS; i++) KEEP_VECTOR(x[i]);                      \
    return spent / ((double)STEPS * CHAINS * LANES);                         \
  }
CHAINED(product, x[i] * y + z)
CHAINED(division, y / x[i])

static double copied(double* to, const double* from, long count) {
  const long calls = 1 + 20000000 / count;
  const double begin = now();
  for (long i = 0; i < calls; i++) {
    memcpy(to, from, sizeof(double) * (size_t)count);
    __asm__ volatile("" : : "r"(to) : "memory");
  }
  return (now() - begin) / ((double)calls * (double)count);
}

enum { HUGE_PAGE = 1 << 21 };

static double* block(long count) {
  const size_t bytes = sizeof(double) * (size_t)count;
  const size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  double* place = aligned_alloc(HUGE_PAGE, whole);
  if (!place) exit(3);
  madvise(place, whole, MADV_HUGEPAGE);
  return place;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const long cache = atol(words[2]), memory = atol(words[3]),
             most = cache > memory ? cache : memory;
  if (cache < 1 || memory < 1) return 2;
  double *to = block(most), *from = block(most + 168) + 168; /* 21 lines apart, as the kernels' */
  for (long i = 0; i < most; i++) to[i] = 0.0, from[i] = (double)i;
  for (int i = 0; i < atoi(words[1]); i++)
    printf("cycle %.9e\nproduct %.9e\ndivision %.9e\ncache %.9e\nmemory %.9e\n", cycle(), product(),
           division(), copied(to, from, cache), copied(to, from, memory));
  return 0;
}
