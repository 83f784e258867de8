/* Phases, recording off and on, names that vanish. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Comm during;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++) {
    MPI_Pcontrol(1, "step");
    MPI_Pcontrol(1, "solve");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "solve");
    MPI_Pcontrol(-1, "step");
  }
  for (int i = 0; i < 2; i++) {
    char* name = strdup(i ? "second name" : "first name");
    MPI_Pcontrol(1, name);
    MPI_Pcontrol(-1, name);
    memset(name, '?', 4);
    free(name);
  }
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &during);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1, (char*)7);
  MPI_Barrier(during);
  MPI_Pcontrol(1, (char*)&rank + (1ul << 46)); /* not a name: nothing happens */
  MPI_Comm_free(&during);
  MPI_Finalize();
}
