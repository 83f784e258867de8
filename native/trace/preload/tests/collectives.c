/* Any number of ranks: every collective with known bytes. */
#include <mpi.h>
#include <stdlib.h>

#define MOST 16
static double a[64 * MOST], b[64 * MOST];
static int rank, n, ones[MOST], places[MOST], bytes_places[MOST], growing[MOST];
static MPI_Datatype types[MOST];

static void blocking(MPI_Comm comm) {
  int root = n - 1, at_root = rank == root;
  MPI_Barrier(comm);
  MPI_Bcast(a, 3, MPI_DOUBLE, root, comm);
  MPI_Gather(at_root ? MPI_IN_PLACE : a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, root, comm);
  MPI_Gatherv(a, rank + 1, MPI_DOUBLE, b, growing, places, MPI_DOUBLE, root, comm);
  MPI_Scatter(a, 2, MPI_DOUBLE, at_root ? MPI_IN_PLACE : b, 2, MPI_DOUBLE, root, comm);
  MPI_Scatterv(a, growing, places, MPI_DOUBLE, b, rank + 1, MPI_DOUBLE, root, comm);
  MPI_Allgather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, comm);
  MPI_Allgatherv(a, rank + 1, MPI_DOUBLE, b, growing, places, MPI_DOUBLE, comm);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_DOUBLE, comm);
  MPI_Alltoallv(a, ones, places, MPI_DOUBLE, b, ones, places, MPI_DOUBLE, comm);
  MPI_Alltoallw(a, ones, bytes_places, types, b, ones, bytes_places, types, comm);
  MPI_Allreduce(MPI_IN_PLACE, b, 5, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Reduce(a, b, 5, MPI_DOUBLE, MPI_SUM, root, comm);
  MPI_Reduce_scatter(a, b, growing, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Scan(a, b, 4, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Exscan(a, b, 4, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Reduce_scatter_block(a, b, 2, MPI_DOUBLE, MPI_SUM, comm);
}

static void non_blocking(MPI_Comm comm) {
  MPI_Request r[3];
  MPI_Ibarrier(comm, &r[0]);
  MPI_Iallreduce(a, b, 5, MPI_DOUBLE, MPI_SUM, comm, &r[1]);
  MPI_Ialltoallv(a, ones, places, MPI_DOUBLE, b + 64, ones, places, MPI_DOUBLE, comm, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

static void neighbourhood(MPI_Comm comm) {
  MPI_Comm ring;
  int size = n, periodic = 1;
  MPI_Cart_create(comm, 1, &size, &periodic, 0, &ring);
  MPI_Neighbor_allgather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, ring);
  MPI_Neighbor_alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, ring);
  MPI_Neighbor_alltoallv(a, ones, places, MPI_DOUBLE, b, ones, places, MPI_DOUBLE, ring);
  MPI_Comm_free(&ring);
}

static void persistent(MPI_Comm comm) {
#if MPI_VERSION >= 4
  MPI_Request r;
  MPI_Bcast_init(a, 3, MPI_DOUBLE, 0, comm, MPI_INFO_NULL, &r);
  for (int i = 0; i < 2; i++) {
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&r);
  int mine[MOST], at[MOST];
  for (int i = 0; i < n; i++) mine[i] = rank + 1, at[i] = i * (rank + 1);
  MPI_Request two[2];
  MPI_Alltoallv_init(a, growing, places, MPI_DOUBLE, b, mine, at, MPI_DOUBLE, comm, MPI_INFO_NULL,
                     &two[0]);
  MPI_Allreduce_init(a + 512, b + 512, 5, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &two[1]);
  MPI_Startall(2, two);
  MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
  MPI_Request_free(&two[0]);
  MPI_Request_free(&two[1]);
#endif
  (void)comm;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int i = 0; i < n; i++) {
    ones[i] = 1;
    growing[i] = i + 1;
    places[i] = i * (i + 1) / 2;
    bytes_places[i] = 8 * i;
    types[i] = MPI_DOUBLE;
  }
  blocking(MPI_COMM_WORLD);
  non_blocking(MPI_COMM_WORLD);
  neighbourhood(MPI_COMM_WORLD);
  persistent(MPI_COMM_WORLD);
  MPI_Finalize();
}
