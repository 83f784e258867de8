! As jacobi.c.
function jacobi(iterations, p, a, b, c, bnd, wrk1, wrk2) bind(c, name='jacobi') result(gosa)
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_long
  implicit none
  integer, parameter :: wp = KIND_
  integer(c_long), value :: iterations
  real(wp), dimension(0:NX, 0:NY, 0:NZ) :: p, bnd, wrk1, wrk2
  real(wp) :: a(0:NX, 0:NY, 0:NZ, 4), b(0:NX, 0:NY, 0:NZ, 3), c(0:NX, 0:NY, 0:NZ, 3)
  real(wp) :: s0, ss, row
  real(wp), parameter :: omega = 0.8_wp
  real(c_double) :: gosa
  integer(c_long) :: n
  integer :: i, j, k

  gosa = 0.0_c_double
  do n = 1, iterations
    gosa = 0.0_c_double
    !$omp parallel do num_threads(THREADS) reduction(+:gosa) private(i, j, s0, ss, row)
    do k = 1, NZ - 2
      do j = 1, NY - 2
        row = 0.0_wp
        do i = 1, NX - 2
          s0 = a(i, j, k, 1) * p(i, j, k + 1) + a(i, j, k, 2) * p(i, j + 1, k) &
             + a(i, j, k, 3) * p(i + 1, j, k) &
             + b(i, j, k, 1) * (p(i, j + 1, k + 1) - p(i, j - 1, k + 1) &
                              - p(i, j + 1, k - 1) + p(i, j - 1, k - 1)) &
             + b(i, j, k, 2) * (p(i + 1, j + 1, k) - p(i + 1, j - 1, k) &
                              - p(i - 1, j + 1, k) + p(i - 1, j - 1, k)) &
             + b(i, j, k, 3) * (p(i + 1, j, k + 1) - p(i + 1, j, k - 1) &
                              - p(i - 1, j, k + 1) + p(i - 1, j, k - 1)) &
             + c(i, j, k, 1) * p(i, j, k - 1) + c(i, j, k, 2) * p(i, j - 1, k) &
             + c(i, j, k, 3) * p(i - 1, j, k) + wrk1(i, j, k)
          ss = (s0 * a(i, j, k, 4) - p(i, j, k)) * bnd(i, j, k)
          row = row + ss * ss
          wrk2(i, j, k) = p(i, j, k) + omega * ss
        end do
        gosa = gosa + row
      end do
    end do
    !$omp parallel do num_threads(THREADS) private(i, j)
    do k = 1, NZ - 2
      do j = 1, NY - 2
        do i = 1, NX - 2
          p(i, j, k) = wrk2(i, j, k)
        end do
      end do
    end do
  end do
end function
