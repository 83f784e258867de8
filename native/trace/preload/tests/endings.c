/* Two ranks: rank 1 ends in the way that the first argument names, after 1000 messages, while rank
 * 0 waits for it. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  const char* how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 1000; i++) {
    if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    usleep(300000);
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(how, "exit") == 0) exit(6);
    if (strcmp(how, "_exit") == 0) _exit(7);
    if (strcmp(how, "_Exit") == 0) _Exit(7);
    if (strcmp(how, "crash") == 0) raise(SIGSEGV);
  }
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
