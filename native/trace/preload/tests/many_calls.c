/* Arguments: how many messages each rank sends to itself; if given, the largest size of a file from
 * now on. Ends with its own check. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(int argc, char** argv) {
  long messages = argc > 1 ? atol(argv[1]) : 1000, received = 0;
  int value = 1, got = 0;
  MPI_Init(&argc, &argv);
  if (argc > 2) {
    struct rlimit limit = {(rlim_t)atol(argv[2]), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  for (long i = 0; i < messages; i++) {
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    received += got;
  }
  printf("received %ld\n", received);
  MPI_Finalize();
  return received == messages ? 0 : 1;
}
