#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  REAL_ :: a(0:LEADING-1, 0:COLUMNS-1), b(0:LEADING-1, 0:COLUMNS-1), c(0:LEADING-1, 0:COLUMNS-1)
  integer(c_int) :: list(0:ROWS*COLUMNS-1)
  real(c_double) :: busy(0:*)
  integer :: i

  do i = 0, ROWS - 1
    a(i, 0) = b(i, 0)
  end do
end subroutine
