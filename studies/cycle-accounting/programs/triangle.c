#include <omp.h>

#include "kernel.h"
#define PRAGMA(text) _Pragma(#text)
#define SHARED_LOOP(...) PRAGMA(omp for schedule(__VA_ARGS__) nowait)
/* The lower triangle by columns, divided as SCHEDULE says; busy: seconds of each thread. */
KERNEL {
#pragma omp parallel num_threads(THREADS)
  {
    const double begin = omp_get_wtime();
    SHARED_LOOP(SCHEDULE)
    for (int j = 0; j < columns; j++)
      for (int i = j; i < columns; i++)
        a[i + (long)leading * j] = b[i + (long)leading * j] + c[i + (long)leading * j];
    busy[omp_get_thread_num()] += omp_get_wtime() - begin;
  }
}
