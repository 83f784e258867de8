/* Two neighbours exchange rows and compute, as solvers do. With -DNONBLOCKING the sends are
 * started, and waited for before the same row is filled again; else they block. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 6, WORK_NS = 2000000 };

static void compute(void) {
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < WORK_NS);
}

int main(int argc, char** argv) {
  int rank, size, count = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* out[2] = {calloc((size_t)count, sizeof(double)), calloc((size_t)count, sizeof(double))};
  double* in = calloc((size_t)count, sizeof(double));
#ifdef NONBLOCKING
  MPI_Request started[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
#endif
  for (int step = 0; step < STEPS; step++) {
    compute();
    for (int side = 0; side < 2; side++) {
      int to = rank + (side ? 1 : -1), from = rank - (side ? 1 : -1);
      if (to >= 0 && to < size) {
#ifdef NONBLOCKING
        MPI_Wait(&started[side], MPI_STATUS_IGNORE);
        MPI_Isend(out[side], count, MPI_DOUBLE, to, side, MPI_COMM_WORLD, &started[side]);
#else
        MPI_Send(out[side], count, MPI_DOUBLE, to, side, MPI_COMM_WORLD);
#endif
      }
      if (from >= 0 && from < size)
        MPI_Recv(in, count, MPI_DOUBLE, from, side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
#ifdef NONBLOCKING
  MPI_Waitall(2, started, MPI_STATUSES_IGNORE);
#endif
  MPI_Finalize();
  return 0;
}
