/* An even number of ranks: every way to make a communicator; a barrier in each shows which one the
 * trace means. */
#include <mpi.h>

static int rank, n;

static void use(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Comm world = MPI_COMM_WORLD, comm, half, across;
  MPI_Group all, some;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &n);
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_name(comm, "a copy");
  use(comm);
  MPI_Comm_idup(world, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(comm);
  MPI_Comm_split(world, rank % 2, -rank, &comm); /* reversed order */
  use(comm);
  MPI_Comm_split(world, rank == 0 ? MPI_UNDEFINED : 1, rank, &comm);
  use(comm);
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
  use(comm);
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, (int[]){n - 1}, &some);
  MPI_Comm_create(world, some, &comm);
  use(comm);
  if (rank == n - 1) {
    MPI_Comm_create_group(world, some, 3, &comm);
    use(comm);
  }
  MPI_Comm_create_group(world, all, 4, &comm); /* after one that only the last rank made */
  use(comm);
  MPI_Cart_create(world, 1, &n, (int[]){0}, 0, &comm);
  use(comm);
  MPI_Dist_graph_create_adjacent(world, 1, (int[]){(rank + n - 1) % n}, MPI_UNWEIGHTED, 1,
                                 (int[]){(rank + 1) % n}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  use(comm);
  MPI_Comm_split(world, rank < n / 2, rank, &half);
  MPI_Intercomm_create(half, 0, world, rank < n / 2 ? n / 2 : 0, 5, &across);
  double one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, across);
  MPI_Bcast(&one, 1, MPI_DOUBLE, rank == 0 ? MPI_ROOT : rank < n / 2 ? MPI_PROC_NULL : 0, across);
  int local_rank;
  MPI_Comm_rank(half, &local_rank);
  if (local_rank == 0)
    MPI_Sendrecv(&one, 1, MPI_DOUBLE, 0, 6, &sum, 1, MPI_DOUBLE, 0, 6, across, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(across, rank < n / 2, &comm);
  use(comm);
  MPI_Comm_free(&across);
  MPI_Comm_free(&half);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Finalize();
}
