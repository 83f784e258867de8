/* Two ranks: large-count forms (MPI 4). */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank;
  double a[4] = {0}, b[8];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
  MPI_Count ones[2] = {1, 1};
  MPI_Aint places[2] = {0, 1};
  if (rank == 0) MPI_Send_c(a, 4, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv_c(b, 8, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Alltoallv_c(a, ones, places, MPI_DOUBLE, b, ones, places, MPI_DOUBLE, MPI_COMM_WORLD);
#else
  (void)a, (void)b;
#endif
  MPI_Finalize();
}
