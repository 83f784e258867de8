// The reader's own MPI program in the documents' command lines: barriers, a phase "solve", and a
// line with its time.
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 20, WORK = 20000, MOST_RANKS = 64 };

static double compute(double x) {
  for (int i = 0; i < WORK; ++i) x = 0.5 * x + 1.0;
  return x;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sum = 0.0, sent[MOST_RANKS] = {0.0}, received[MOST_RANKS];
  const double begin = MPI_Wtime();
  for (int step = 0; step < STEPS; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1, "solve");
    sent[0] = compute(rank);
    MPI_Allreduce(sent, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(sent, 1, MPI_DOUBLE, received, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "solve");
  }
  if (rank == 0) printf("sum %g\nstep: %g\n", sum, (MPI_Wtime() - begin) / STEPS);
  MPI_Finalize();
  return 0;
}
