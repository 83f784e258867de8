/* Two ranks: non-blocking and persistent operations, and every way to complete them. */
#include <mpi.h>
#include <stdlib.h>

#define MANY 100

static void waits(int rank) {
  MPI_Comm comm = MPI_COMM_WORLD;
  int other = 1 - rank, index, count, flag, indices[4], value[4] = {0};
  MPI_Request r[4];
  MPI_Status statuses[4];
  if (rank == 0) {
    for (int i = 0; i < 4; i++) MPI_Irecv(&value[i], 1, MPI_INT, other, 100 + i, comm, &r[i]);
    MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);
    for (int left = 3; left > 0; left -= count) MPI_Waitsome(4, r, &count, indices, statuses);
    for (int i = 0; i < 4; i++)
      MPI_Irecv(&value[i], 1, MPI_INT, MPI_ANY_SOURCE, 110 + i, comm, &r[i]);
    for (flag = 0; !flag;) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Testany(4, r, &index, &flag, MPI_STATUS_IGNORE);
    for (count = 0; count <= 0;) MPI_Testsome(4, r, &count, indices, MPI_STATUSES_IGNORE);
    for (flag = 0; !flag;) MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
  } else {
    MPI_Isend(value, 1, MPI_INT, other, 100, comm, &r[0]);
    MPI_Issend(value, 1, MPI_INT, other, 101, comm, &r[1]);
    MPI_Isend(value, 1, MPI_INT, other, 102, comm, &r[2]);
    MPI_Isend(value, 1, MPI_INT, other, 103, comm, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++) MPI_Isend(value, 1, MPI_INT, other, 110 + i, comm, &r[i]);
    MPI_Waitall(4, r, statuses);
  }
}

static void persistent(int rank) {
  MPI_Request r[2];
  double value[2] = {0};
  int other = 1 - rank;
  MPI_Send_init(&value[0], 1, MPI_DOUBLE, other, 200, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(&value[1], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 200, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 3; i++) {
    if (i == 1) {
      MPI_Start(&r[1]);
      MPI_Start(&r[0]);
    } else {
      MPI_Startall(2, r);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Wait(&r[0], MPI_STATUS_IGNORE); /* inactive: completes nothing */
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

static void unusual(int rank) {
  MPI_Request r;
  int value = 0, flag = 0;
  char room[256 + MPI_BSEND_OVERHEAD];
  void* old;
  MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 300, MPI_COMM_WORLD, &r); /* nobody sends it */
  MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
  MPI_Cancel(&r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irsend(&value, 1, MPI_INT, 1, 301, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Ibsend(&value, 1, MPI_INT, 1, 302, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&old, &flag);
  } else {
    MPI_Irecv(&value, 1, MPI_INT, 0, 301, MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 302, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void many(int rank) {
  MPI_Request r[2 * MANY];
  int out[MANY] = {0}, in[MANY];
  for (int i = 0; i < MANY; i++)
    MPI_Irecv(&in[i], 1, MPI_INT, 1 - rank, 400 + i, MPI_COMM_WORLD, &r[i]);
  for (int i = 0; i < MANY; i++)
    MPI_Isend(&out[i], 1, MPI_INT, 1 - rank, 400 + i, MPI_COMM_WORLD, &r[MANY + i]);
  MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  waits(rank);
  persistent(rank);
  unusual(rank);
  many(rank);
  MPI_Finalize();
}
