! An indirect read; Fortran has no words for a prefetch.
#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  REAL_ :: a(0:ROWS*COLUMNS-1), b(0:ROWS*COLUMNS-1), c(0:ROWS*COLUMNS-1)
  integer(c_int) :: list(0:ROWS*COLUMNS-1)
  real(c_double) :: busy(0:*)
  integer :: i

  do i = 0, ROWS * COLUMNS - 1
    a(i) = b(list(i))
  end do
end subroutine
