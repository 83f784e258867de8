/* Two ranks send each other 1 MiB by a send, a request, both at once, an all-to-all (as much to
 * each) and a broadcast; and what is not told: less than is long, a reduction, what a rank has in
 * place. Argument: large or small, the pages. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (1 << 20)

int main(int argc, char** argv) {
  const size_t page = 2 << 20, bytes = 2 * page;
  int rank, large = argc > 1 && strcmp(argv[1], "large") == 0;
  char* memory = aligned_alloc(page, bytes);
  if (memory == NULL) return 2;
  madvise(memory, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  memset(memory, 1, bytes);
  char *out = memory, *in = memory + page;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(out, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(out, 1000, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(in, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Recv(in, 1000, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isend(out, BYTES, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD, &request);
  MPI_Recv(in, BYTES, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, BYTES, MPI_BYTE, 1 - rank, 3, in, BYTES, MPI_BYTE, 1 - rank, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Alltoall(out, BYTES, MPI_BYTE, in, BYTES, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Bcast(out, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(out, in, BYTES, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, in, BYTES, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Finalize();
  free(memory);
  return 0;
}
