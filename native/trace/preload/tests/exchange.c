/* Two ranks that send each other a number, as many times as the first argument says. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, value = 1, got = 0;
  long times = argc > 1 ? atol(argv[1]) : 100;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long i = 0; i < times; i++)
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 1, &got, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Finalize();
}
