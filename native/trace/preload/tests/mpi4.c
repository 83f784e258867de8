/* Two ranks: what came with MPI 4: large counts, send and receive in one request, partitions. */
#include <mpi.h>

#if MPI_VERSION >= 4
static void large_counts(int rank) {
  double a[4] = {0}, b[8];
  MPI_Count ones[2] = {1, 1};
  MPI_Aint places[2] = {0, 1};
  if (rank == 0) MPI_Send_c(a, 4, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv_c(b, 8, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Alltoallv_c(a, ones, places, MPI_DOUBLE, b, ones, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void exchange(int rank) {
  double a[3] = {0}, b[8];
  MPI_Request r;
  MPI_Isendrecv(a, rank + 1, MPI_DOUBLE, 1 - rank, 60, b, 8, MPI_DOUBLE, MPI_ANY_SOURCE, 60,
                MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void partitions(int rank) {
  double a[6] = {0};
  MPI_Request r;
  if (rank == 0)
    MPI_Psend_init(a, 2, 3, MPI_DOUBLE, 1, 61, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
  else
    MPI_Precv_init(a, 2, 3, MPI_DOUBLE, 0, 61, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
  MPI_Start(&r);
  if (rank == 0) MPI_Pready_range(0, 1, r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Request_free(&r);
}
#endif

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  large_counts(rank);
  exchange(rank);
  partitions(rank);
#endif
  MPI_Finalize();
}
