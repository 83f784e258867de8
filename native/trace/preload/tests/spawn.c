/* Any number of ranks spawn two: messages, collectives and a merged communicator between the
 * worlds. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Comm parent, across, both, half;
  double one = 1, sum = 0, *all = calloc(64, sizeof *all);
  int rank, local, remote;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across,
                   MPI_ERRCODES_IGNORE);
  else
    across = parent;
  MPI_Comm_rank(across, &rank);
  MPI_Comm_size(across, &local);
  MPI_Comm_remote_size(across, &remote);
  if (rank == 0)
    MPI_Sendrecv(&one, 1, MPI_DOUBLE, 0, 6, &sum, 1, MPI_DOUBLE, 0, 6, across, MPI_STATUS_IGNORE);
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, across);
  MPI_Bcast(all, 10, MPI_DOUBLE,
            parent != MPI_COMM_NULL ? 0
            : rank == 0             ? MPI_ROOT
                                    : MPI_PROC_NULL,
            across);
  MPI_Barrier(across);
  MPI_Intercomm_merge(across, parent != MPI_COMM_NULL, &both);
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, both);
  MPI_Comm_rank(both, &rank);
  MPI_Comm_split(both, rank % 2, rank, &half);
  MPI_Allgather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, half);
  MPI_Comm_free(&half);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&across);
  free(all);
  MPI_Finalize();
  return sum == local + remote ? 0 : 1;
}
