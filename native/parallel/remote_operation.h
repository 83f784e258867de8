/* What a program tells a tracer about PUT and GET: MPI_Pcontrol(HAKARU_REMOTE_BEGIN, &operation)
 * before a call of parallel::RemoteMemory and MPI_Pcontrol(HAKARU_REMOTE_END, &operation) after it.
 * How the transfer is done inside (shared memory, MPI's one-sided operations) is not told; what is
 * told between a begin and its end is part of that one operation. Plain C.
 */
#ifndef HAKARU_PARALLEL_REMOTE_OPERATION_H
#define HAKARU_PARALLEL_REMOTE_OPERATION_H

#include <mpi.h>

#define HAKARU_REMOTE_BEGIN 1994
#define HAKARU_REMOTE_END (-1994)

enum hakaru_remote_kind {
  HAKARU_REMOTE_PUT = 1,
  HAKARU_REMOTE_GET = 2,
  HAKARU_REMOTE_FLAG_WAIT = 3,   /* bytes: how many times more the flag received_flag is raised */
  HAKARU_REMOTE_ACKNOWLEDGE = 4, /* until all own puts are complete at their targets */
  HAKARU_REMOTE_SEND = 5,        /* through the receiver's ring buffer; received_flag: the tag */
  HAKARU_REMOTE_RECEIVE = 6
};

typedef struct {
  int kind;
  int peer;          /* rank of `group`; -1: none */
  int received_flag; /* raised where the data come to; 0: none */
  int sent_flag;     /* raised where the data leave; 0: none */
  long long bytes;
  long long items; /* of a strided transfer, at the end that has more of them; 0: contiguous */
  MPI_Comm group;
} hakaru_remote_operation;

#endif
