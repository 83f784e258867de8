/* pipeline COUNT [STEPS [turns]]: ranks compute and send COUNT numbers to their neighbours, as
 * solvers do; with "turns" to the next rank only, and each rank computes long in every other step.
 * With -DNONBLOCKING the sends are started, and waited for before the same row is filled again;
 * else they block. Prints the time of rank 0's steps. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void compute(double seconds) {
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < seconds) continue;
}

int main(int argc, char** argv) {
  int rank, size, count = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 6;
  const int turns = argc > 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* out[2] = {calloc((size_t)count, sizeof(double)), calloc((size_t)count, sizeof(double))};
  double* in = calloc((size_t)count, sizeof(double));
#ifdef NONBLOCKING
  MPI_Request started[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    compute(turns && (rank + step) % 2 ? 0.5e-3 : 2e-3);
    for (int side = turns; side < 2; side++) {
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
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("time = %.6f s\n", MPI_Wtime() - begin);
  MPI_Finalize();
  return 0;
}
