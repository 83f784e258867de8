/* Two ranks: every blocking way to send and receive; tags tell the messages apart. */
#include <mpi.h>
#include <stdlib.h>

static void sender(MPI_Comm comm) {
  double data[16] = {0};
  char* room = malloc(1000 + MPI_BSEND_OVERHEAD);
  int size;
  MPI_Datatype every_second;
  MPI_Send(data, 1, MPI_DOUBLE, 1, 10, comm);
  MPI_Ssend(data, 2, MPI_DOUBLE, 1, 11, comm);
  MPI_Buffer_attach(room, 1000 + MPI_BSEND_OVERHEAD);
  MPI_Bsend(data, 3, MPI_DOUBLE, 1, 12, comm);
  MPI_Barrier(comm); /* the receive of the ready send is posted */
  MPI_Rsend(data, 4, MPI_DOUBLE, 1, 13, comm);
  MPI_Send(NULL, 0, MPI_DOUBLE, 1, 14, comm);
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &every_second); /* 24 true bytes in an extent of 72 */
  MPI_Type_commit(&every_second);
  MPI_Send(data, 1, every_second, 1, 15, comm);
  MPI_Type_free(&every_second);
  MPI_Send(data, 1, MPI_DOUBLE, MPI_PROC_NULL, 16, comm);
  for (int tag = 20; tag < 24; tag++) MPI_Send(data, tag - 19, MPI_DOUBLE, 1, tag, comm);
  MPI_Sendrecv(data, 2, MPI_DOUBLE, 1, 30, data + 8, 8, MPI_DOUBLE, MPI_ANY_SOURCE, 31, comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(data, 5, MPI_DOUBLE, 1, 32, 1, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&room, &size);
  free(room);
}

static void receiver(MPI_Comm comm) {
  double data[16];
  int flag = 0;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  MPI_Recv(data, 16, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  MPI_Recv(data, 16, MPI_DOUBLE, 0, 11, comm, &status);
  MPI_Recv(data, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 12, comm, MPI_STATUS_IGNORE);
  MPI_Irecv(data, 4, MPI_DOUBLE, 0, 13, comm, &request);
  MPI_Barrier(comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(data, 16, MPI_DOUBLE, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  MPI_Recv(data, 16, MPI_DOUBLE, 0, 15, comm, MPI_STATUS_IGNORE);
  MPI_Recv(data, 16, MPI_DOUBLE, MPI_PROC_NULL, 16, comm, MPI_STATUS_IGNORE);
  MPI_Probe(MPI_ANY_SOURCE, 20, comm, MPI_STATUS_IGNORE);
  MPI_Recv(data, 16, MPI_DOUBLE, 0, 20, comm, MPI_STATUS_IGNORE);
  MPI_Iprobe(0, 99, comm, &flag, MPI_STATUS_IGNORE); /* never there */
  flag = 0;
  while (!flag) MPI_Iprobe(0, 21, comm, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(data, 16, MPI_DOUBLE, 0, 21, comm, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, 22, comm, &message, &status);
  MPI_Mrecv(data, 16, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  flag = 0;
  while (!flag) MPI_Improbe(0, 23, comm, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(data, 16, MPI_DOUBLE, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, 3, MPI_DOUBLE, 0, 31, data + 8, 8, MPI_DOUBLE, 0, 30, comm, &status);
  MPI_Sendrecv_replace(data, 5, MPI_DOUBLE, 0, 33, 0, 32, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    sender(MPI_COMM_WORLD);
  else
    receiver(MPI_COMM_WORLD);
  MPI_Finalize();
}
