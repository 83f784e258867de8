! An indirect sum of two arrays into a third; after: all three are one array of three rows.
#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
#ifdef AFTER
  REAL_ :: a(3, 0:ROWS*COLUMNS-1), b(*), c(*)
#else
  REAL_ :: a(0:ROWS*COLUMNS-1), b(0:ROWS*COLUMNS-1), c(0:ROWS*COLUMNS-1)
#endif
  integer(c_int) :: list(0:ROWS*COLUMNS-1)
  real(c_double) :: busy(0:*)
  integer :: i

  do i = 0, ROWS * COLUMNS - 1
#ifdef AFTER
    a(1, list(i)) = a(2, list(i)) + a(3, list(i))
#else
    a(list(i)) = b(list(i)) + c(list(i))
#endif
  end do
end subroutine
