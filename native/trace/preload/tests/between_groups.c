/* Three or more ranks in two groups: every collective between them, with lengths that tell ranks
 * apart. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Comm half, across;
  int world, n, rank, size, remote;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  const int low = world < n / 2;
  MPI_Comm_split(MPI_COMM_WORLD, low, world, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? n / 2 : 0, 5, &across);
  MPI_Comm_rank(across, &rank);
  MPI_Comm_size(across, &size);
  MPI_Comm_remote_size(across, &remote);
  char *a = calloc(4096, 1), *b = calloc(4096, 1);
  int *counts = calloc(64, sizeof *counts), *theirs = calloc(64, sizeof *theirs),
      *zeros = calloc(64, sizeof *zeros);
  const int from_low = low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  for (int i = 0; i < remote; i++) {
    counts[i] = 10 * (rank + 1) + (i + 1);
    theirs[i] = 10 * (i + 1) + (rank + 1);
  }
  MPI_Barrier(across);
  MPI_Bcast(a, 100, MPI_CHAR, from_low, across);
  MPI_Reduce(a, b, 80, MPI_CHAR, MPI_MAX, from_low, across);
  MPI_Allreduce(a, b, 72, MPI_CHAR, MPI_MAX, across);
  MPI_Gather(a, 30, MPI_CHAR, b, 30, MPI_CHAR, from_low, across);
  MPI_Scatter(a, 30, MPI_CHAR, b, 30, MPI_CHAR, from_low, across);
  for (int i = 0; i < remote; i++) theirs[i] = i + 1;
  MPI_Gatherv(a, rank + 1, MPI_CHAR, b, theirs, zeros, MPI_CHAR, from_low, across);
  MPI_Scatterv(a, theirs, zeros, MPI_CHAR, b, rank + 1, MPI_CHAR, from_low, across);
  MPI_Allgather(a, 20, MPI_CHAR, b, 20, MPI_CHAR, across);
  MPI_Allgatherv(a, rank + 1, MPI_CHAR, b, theirs, zeros, MPI_CHAR, across);
  MPI_Alltoall(a, 12, MPI_CHAR, b, 12, MPI_CHAR, across);
  for (int i = 0; i < remote; i++) theirs[i] = 10 * (i + 1) + (rank + 1);
  MPI_Alltoallv(a, counts, zeros, MPI_CHAR, b, theirs, zeros, MPI_CHAR, across);
  MPI_Reduce_scatter_block(a, b, 12 / size, MPI_CHAR, MPI_MAX, across);
  MPI_Comm_free(&across);
  MPI_Comm_free(&half);
  free(a), free(b), free(counts), free(theirs), free(zeros);
  MPI_Finalize();
  return 0;
}
