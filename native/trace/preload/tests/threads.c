/* Two ranks with four threads each (MPI_THREAD_MULTIPLE); thread t of rank 0 sends 500 messages of
 * tag t to thread t of rank 1. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 4
#define MESSAGES 500
static int rank;

static void* work(void* argument) {
  int tag = (int)(intptr_t)argument, value = 0;
  MPI_Request r;
  for (int i = 0; i < MESSAGES; i++) {
    if (rank == 0) {
      MPI_Isend(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
      MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  for (intptr_t t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, work, (void*)t);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  MPI_Finalize();
}
