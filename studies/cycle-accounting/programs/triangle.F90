! The lower triangle by columns, divided as SCHEDULE says; busy: seconds of each thread.
#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use omp_lib, only: omp_get_thread_num, omp_get_wtime
  implicit none
  REAL_ :: a(0:LEADING-1, 0:COLUMNS-1), b(0:LEADING-1, 0:COLUMNS-1), c(0:LEADING-1, 0:COLUMNS-1)
  integer(c_int) :: list(0:*)
  real(c_double) :: busy(0:*), begin
  integer :: i, j, own

  !$omp parallel num_threads(THREADS) private(i, begin, own)
  own = omp_get_thread_num()
  begin = omp_get_wtime()
  !$omp do schedule(SCHEDULE)
  do j = 0, COLUMNS - 1
    do i = j, COLUMNS - 1
      a(i, j) = b(i, j) + c(i, j)
    end do
  end do
  !$omp end do nowait
  busy(own) = busy(own) + omp_get_wtime() - begin
  !$omp end parallel
end subroutine
