! A = B C by columns, four of B at a time.
#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  REAL_ :: a(0:LEADING-1, 0:COLUMNS-1), b(0:LEADING-1, 0:COLUMNS-1), c(0:LEADING-1, 0:COLUMNS-1)
  integer(c_int) :: list(0:ROWS*COLUMNS-1)
  real(c_double) :: busy(0:*)
  integer :: i, j, k

  do j = 0, COLUMNS - 1
    a(0:ROWS-1, j) = ZERO
    do k = 0, ROWS - 1, 4
      do i = 0, ROWS - 1
        a(i, j) = AND_PRODUCT(a(i, j), b(i, k), c(k, j))
        a(i, j) = AND_PRODUCT(a(i, j), b(i, k + 1), c(k + 1, j))
        a(i, j) = AND_PRODUCT(a(i, j), b(i, k + 2), c(k + 2, j))
        a(i, j) = AND_PRODUCT(a(i, j), b(i, k + 3), c(k + 3, j))
      end do
    end do
  end do
end subroutine
