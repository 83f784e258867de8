/* Argument: how many messages each rank sends to itself. Ends with its own check of the count. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  long messages = argc > 1 ? atol(argv[1]) : 1000, received = 0;
  int value = 1, got = 0;
  MPI_Init(&argc, &argv);
  for (long i = 0; i < messages; i++) {
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    received += got;
  }
  printf("received %ld\n", received);
  MPI_Finalize();
  return received == messages ? 0 : 1;
}
