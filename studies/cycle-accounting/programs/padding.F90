! LEADING alone tells the two forms apart.
#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  REAL_ :: a(0:LEADING-1, 0:COLUMNS-1), b(0:LEADING-1, 0:COLUMNS-1), c(0:LEADING-1, 0:COLUMNS-1)
  integer(c_int) :: list(0:ROWS*COLUMNS-1)
  real(c_double) :: busy(0:*)
  integer :: i, j

  do j = 1, COLUMNS - 2
    do i = 0, ROWS - 1
      a(i, j) = 0.25_c_double * (b(i, j - 1) + 2.0_c_double * b(i, j) + b(i, j + 1))
    end do
  end do
end subroutine
