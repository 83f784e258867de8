! Two ranks, once for each Fortran binding: -DMPIF_H, -DUSE_MPI, -DUSE_MPI_F08. Same messages in all three.
program traced
#ifdef USE_MPI_F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: copy
#define STOP_ERROR
#else
#ifdef USE_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: requests(2), copy
#define STOP_ERROR , error
#endif
  integer :: rank, other, error
  double precision :: out(3), in(3)
  error = 0
  out = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = 1 - rank
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
  if (rank == 0) then
    call MPI_Send(out, 3, MPI_DOUBLE_PRECISION, 1, 40, copy STOP_ERROR)
  else
    call MPI_Recv(in, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE STOP_ERROR)
  end if
  call MPI_Irecv(in, 2, MPI_DOUBLE_PRECISION, other, 41, MPI_COMM_WORLD, requests(1) STOP_ERROR)
  call MPI_Isend(out, 2, MPI_DOUBLE_PRECISION, other, 41, MPI_COMM_WORLD, requests(2) STOP_ERROR)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE STOP_ERROR)
  call MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD STOP_ERROR)
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD STOP_ERROR)
  call MPI_Pcontrol(1)
  call MPI_Comm_free(copy, error)
  if (any(out /= 2)) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  call MPI_Finalize(error)
end program
