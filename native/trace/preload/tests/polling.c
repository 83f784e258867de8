/* Two ranks: rank 0 polls for what rank 1 sends after 20 ms. argv[1]:
 * test, testany, testall, testsome    loops of it
 * iprobe         a loop of MPI_Iprobe, then MPI_Recv
 * overlap        20 turns of 1 ms of work and one MPI_Test
 * cancel         1000 tests of what never comes, then MPI_Cancel */
#include <mpi.h>
#include <string.h>

#define MESSAGES 3
static int values[MESSAGES];
static MPI_Request requests[MESSAGES];

static void work(double seconds) {
  for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) continue;
}

static void receive(const char* how) {
  int done = 0, index, count = 0, indices[MESSAGES];
  MPI_Status statuses[MESSAGES];
  if (strcmp(how, "iprobe") == 0) {
    for (int i = 0; i < MESSAGES; i++, done = 0) {
      while (!done) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &done, statuses);
      MPI_Recv(values, 1, MPI_INT, statuses->MPI_SOURCE, statuses->MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    return;
  }
  for (int i = 0; i < MESSAGES; i++)
    MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
  while (strcmp(how, "testall") == 0 && !done) MPI_Testall(MESSAGES, requests, &done, statuses);
  while (strcmp(how, "testany") == 0 && count < MESSAGES) {
    MPI_Testany(MESSAGES, requests, &index, &done, statuses);
    count += done && index != MPI_UNDEFINED;
  }
  while (strcmp(how, "testsome") == 0 && count < MESSAGES) {
    MPI_Testsome(MESSAGES, requests, &done, indices, statuses);
    count += done;
  }
  for (int i = 0; i < MESSAGES && strncmp(how, "test", 5) == 0; i++)
    for (done = 0; !done;) MPI_Test(&requests[i], &done, statuses);
  for (int i = 0; i < 20 && strcmp(how, "overlap") == 0; i++) {
    work(1e-3);
    MPI_Test(&requests[0], &done, statuses);
  }
  MPI_Waitall(MESSAGES, requests, statuses);
}

int main(int argc, char** argv) {
  int rank, done;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "cancel") == 0) {
    MPI_Irecv(values, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, requests);
    for (int i = 0; i < 1000; i++) MPI_Test(requests, &done, MPI_STATUS_IGNORE);
    MPI_Cancel(requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
  } else if (argc > 1 && rank == 0) {
    receive(argv[1]);
  } else if (argc > 1) {
    work(20e-3);
    for (int i = 0; i < MESSAGES; i++) MPI_Send(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
