/* Two ranks: MPI-IO on the file named by the first argument. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, data[8] = {0};
  MPI_File f;
  MPI_Request r;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  MPI_File_set_size(f, 0);
  MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_at(f, 4 * rank, data, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(f, 4 * rank, data, 3, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(f, 4 * rank, MPI_SEEK_SET);
  MPI_File_write(f, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_all(f, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(f);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(f, 4 * rank, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(f, 6, data, 8, MPI_INT, MPI_STATUS_IGNORE); /* 2 elements are left at the end */
  MPI_File_read_at_all(f, 4 * rank, data, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iread_at(f, 4 * rank, data, 4, MPI_INT, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(f, 4 * rank, data, 2, MPI_INT, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(f, 4 * rank, data, 2, MPI_INT);
  MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(f, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_shared(f, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&f);
  if (rank == 0) MPI_File_delete(argv[1], MPI_INFO_NULL);
  MPI_Finalize();
}
