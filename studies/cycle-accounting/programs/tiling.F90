! A transpose, whole or by tiles of TILE x TILE.
#include "fortran.h"
subroutine kernel(a, b, c, list, busy) bind(c, name='kernel')
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  REAL_ :: a(0:LEADING-1, 0:COLUMNS-1), b(0:LEADING-1, 0:COLUMNS-1), c(0:LEADING-1, 0:COLUMNS-1)
  integer(c_int) :: list(0:ROWS*COLUMNS-1)
  real(c_double) :: busy(0:*)
  integer :: i, j
#ifdef AFTER
  integer :: ii, jj

  do jj = 0, COLUMNS - 1, TILE
    do ii = 0, ROWS - 1, TILE
      do j = jj, min(jj + TILE, COLUMNS) - 1
        do i = ii, min(ii + TILE, ROWS) - 1
          a(i, j) = b(j, i)
        end do
      end do
    end do
  end do
#else

  do j = 0, COLUMNS - 1
    do i = 0, ROWS - 1
      a(i, j) = b(j, i)
    end do
  end do
#endif
end subroutine
