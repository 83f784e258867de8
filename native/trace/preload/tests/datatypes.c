/* Two ranks: rank 0 sends derived datatypes of every constructor, rank 1 receives them in other
 * ones; tags tell them apart. A second round makes the types again, whose handles may be those of
 * freed ones. */
#include <mpi.h>
#include <stddef.h>

#define ROOM 4096
static char data[ROOM];
static int rank, tag;

static void pass(MPI_Datatype type, int count, MPI_Datatype there) {
  int size;
  MPI_Type_size(type, &size);
  tag++;
  if (rank == 0)
    MPI_Send(data, count, type, 1, tag, MPI_COMM_WORLD);
  else if (there == MPI_DATATYPE_NULL)
    MPI_Recv(data, count * size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Recv(data, count, there, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Passes the type and frees it. */
static void made(MPI_Datatype type, int count) {
  MPI_Type_commit(&type);
  pass(type, count, MPI_DATATYPE_NULL);
  MPI_Type_free(&type);
}

static void round_of_all(void) {
  MPI_Datatype type, inner, column;
  struct gappy {
    char flag;
    double numbers[3];
  };
  int lengths[] = {1, 3, 2}, places[] = {0, 4, 9};
  MPI_Aint far[] = {0, 64, 128},
           members[] = {offsetof(struct gappy, flag), offsetof(struct gappy, numbers)};
  int parts[] = {1, 3}, sizes[] = {6, 8}, some[] = {3, 4}, rows[] = {3, 8}, from[] = {1, 2},
      edge[] = {1, 0};
  MPI_Datatype kinds[] = {MPI_CHAR, MPI_DOUBLE};

  pass(MPI_DOUBLE, 5, MPI_DATATYPE_NULL); /* 1: no gaps */
  MPI_Type_contiguous(4, MPI_DOUBLE, &type);
  made(type, 3); /* 2: none */
  MPI_Type_vector(6, 2, 5, MPI_DOUBLE, &type);
  made(type, 1); /* 3: 16 */
  MPI_Type_vector(6, 2, 2, MPI_DOUBLE, &type);
  made(type, 2); /* 4: none */
  MPI_Type_create_hvector(3, 2, 40, MPI_INT, &type);
  made(type, 1); /* 5: 8 */
  MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &type);
  made(type, 1); /* 6: 6 doubles in 3 pieces, 16 */
  MPI_Type_create_hindexed(3, lengths, far, MPI_INT, &type);
  made(type, 1); /* 7: 8 */
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type);
  made(type, 1); /* 8: 8 */
  MPI_Type_create_hindexed_block(3, 4, far, MPI_INT, &type);
  made(type, 1); /* 9: 16 */
  MPI_Type_create_struct(2, parts, members, kinds, &type);
  made(type, 1); /* 10: 25 bytes in 2 pieces, 12 */
  MPI_Type_create_subarray(2, sizes, some, from, MPI_ORDER_C, MPI_DOUBLE, &type);
  made(type, 1); /* 11: 3 rows of 4 doubles, 32 */
  MPI_Type_create_subarray(2, sizes, some, from, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
  made(type, 1); /* 12: 4 columns of 3 doubles, 24 */
  MPI_Type_create_subarray(2, sizes, rows, edge, MPI_ORDER_C, MPI_DOUBLE, &type);
  made(type, 1); /* 13: whole rows in one piece, of one element: none */
  MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &type);
  MPI_Type_commit(&type);
  pass(type, 1, MPI_DATATYPE_NULL); /* 14: none */
  pass(type, 4, MPI_DATATYPE_NULL); /* 15: 8 */
  MPI_Type_free(&type);
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &inner);
  MPI_Type_contiguous(2, inner, &type);
  made(type, 1); /* 16: 8, also after the inner one is freed */
  MPI_Type_dup(inner, &type);
  MPI_Type_free(&inner);
  made(type, 1); /* 17: 8 */
  MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_vector(2, 2, 3, MPI_DOUBLE, &inner);
  MPI_Type_commit(&column);
  MPI_Type_commit(&inner);
  pass(column, 1, inner); /* 18: 8 here, 16 there */
  MPI_Type_free(&column);
  MPI_Type_free(&inner);
}

/* Requests, persistent ones, and both ways at once. */
static void requests(void) {
  MPI_Datatype column;
  MPI_Request request;
  MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  if (rank == 0)
    MPI_Isend(data, 1, column, 1, 100, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(data, 1, column, 0, 100, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0)
    MPI_Send_init(data, 1, column, 1, 101, MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(data, 1, column, 0, 101, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 2; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Sendrecv(data, 1, column, 1 - rank, 102, data + ROOM / 2, 4, MPI_DOUBLE, 1 - rank, 102,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; i++) round_of_all();
  requests();
  MPI_Finalize();
  return 0;
}
