! The 25-point stencil as one writes it from its definition in Fortran: one loop nest over the grid,
! periodic neighbours through index tables. h u = (V + c) u + sum lap (u+ + u-) - i grad (u+ - u-).
subroutine stencil_fortran(nx, ny, nz, centre, lap, grad, v, in, out) bind(c)
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_double_complex
  implicit none
  integer(c_int), value :: nx, ny, nz
  real(c_double), value :: centre
  real(c_double), intent(in) :: lap(4, 3), grad(4, 3), v(nz, ny, nx)
  complex(c_double_complex), intent(in) :: in(nz, ny, nx)
  complex(c_double_complex), intent(out) :: out(nz, ny, nx)
  complex(c_double_complex), parameter :: i_unit = (0.0_c_double, 1.0_c_double)
  integer :: xs(-3:nx + 4), ys(-3:ny + 4), zs(-3:nz + 4), x, y, z, i
  complex(c_double_complex) :: even, odd

  xs = [(modulo(i - 1, nx) + 1, i = -3, nx + 4)]
  ys = [(modulo(i - 1, ny) + 1, i = -3, ny + 4)]
  zs = [(modulo(i - 1, nz) + 1, i = -3, nz + 4)]
  do x = 1, nx
    do y = 1, ny
      do z = 1, nz
        even = lap(1, 1) * (in(z, y, xs(x + 1)) + in(z, y, xs(x - 1))) &
             + lap(2, 1) * (in(z, y, xs(x + 2)) + in(z, y, xs(x - 2))) &
             + lap(3, 1) * (in(z, y, xs(x + 3)) + in(z, y, xs(x - 3))) &
             + lap(4, 1) * (in(z, y, xs(x + 4)) + in(z, y, xs(x - 4))) &
             + lap(1, 2) * (in(z, ys(y + 1), x) + in(z, ys(y - 1), x)) &
             + lap(2, 2) * (in(z, ys(y + 2), x) + in(z, ys(y - 2), x)) &
             + lap(3, 2) * (in(z, ys(y + 3), x) + in(z, ys(y - 3), x)) &
             + lap(4, 2) * (in(z, ys(y + 4), x) + in(z, ys(y - 4), x)) &
             + lap(1, 3) * (in(zs(z + 1), y, x) + in(zs(z - 1), y, x)) &
             + lap(2, 3) * (in(zs(z + 2), y, x) + in(zs(z - 2), y, x)) &
             + lap(3, 3) * (in(zs(z + 3), y, x) + in(zs(z - 3), y, x)) &
             + lap(4, 3) * (in(zs(z + 4), y, x) + in(zs(z - 4), y, x))
        odd = grad(1, 1) * (in(z, y, xs(x + 1)) - in(z, y, xs(x - 1))) &
            + grad(2, 1) * (in(z, y, xs(x + 2)) - in(z, y, xs(x - 2))) &
            + grad(3, 1) * (in(z, y, xs(x + 3)) - in(z, y, xs(x - 3))) &
            + grad(4, 1) * (in(z, y, xs(x + 4)) - in(z, y, xs(x - 4))) &
            + grad(1, 2) * (in(z, ys(y + 1), x) - in(z, ys(y - 1), x)) &
            + grad(2, 2) * (in(z, ys(y + 2), x) - in(z, ys(y - 2), x)) &
            + grad(3, 2) * (in(z, ys(y + 3), x) - in(z, ys(y - 3), x)) &
            + grad(4, 2) * (in(z, ys(y + 4), x) - in(z, ys(y - 4), x)) &
            + grad(1, 3) * (in(zs(z + 1), y, x) - in(zs(z - 1), y, x)) &
            + grad(2, 3) * (in(zs(z + 2), y, x) - in(zs(z - 2), y, x)) &
            + grad(3, 3) * (in(zs(z + 3), y, x) - in(zs(z - 3), y, x)) &
            + grad(4, 3) * (in(zs(z + 4), y, x) - in(zs(z - 4), y, x))
        out(z, y, x) = (v(z, y, x) + centre) * in(z, y, x) + even - i_unit * odd
      end do
    end do
  end do
end subroutine stencil_fortran
