! Two double loops; after: the first column is peeled, and the rest of both is one double loop.
#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  REAL_ :: a(0:LEADING-1, 0:COLUMNS-1), b(0:LEADING-1, 0:COLUMNS-1), c(0:LEADING-1, 0:COLUMNS-1)
  integer(c_int) :: list(0:ROWS*COLUMNS-1)
  real(c_double) :: busy(0:*)
  integer :: i, j

#ifdef AFTER
  do i = 0, ROWS - 1
    c(i, 0) = 0.5_c_double * b(i, 0)
  end do
  do j = 1, COLUMNS - 1
    do i = 0, ROWS - 1
      c(i, j) = 0.5_c_double * b(i, j)
      a(i, j) = c(i, j) + c(i, j - 1)
    end do
  end do
#else
  do j = 0, COLUMNS - 1
    do i = 0, ROWS - 1
      c(i, j) = 0.5_c_double * b(i, j)
    end do
  end do
  do j = 1, COLUMNS - 1
    do i = 0, ROWS - 1
      a(i, j) = c(i, j) + c(i, j - 1)
    end do
  end do
#endif
end subroutine
