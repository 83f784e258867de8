! The loops of the probe in Fortran; kernels.cpp has the same in C++.
module vector_length_kernels
  use, intrinsic :: iso_c_binding
  implicit none
contains

  subroutine daxpy(n, a, x, y) bind(c, name='hakaru_vector_daxpy')
    integer(c_int64_t), value :: n
    real(c_double), value :: a
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(inout) :: y(n)
    integer(c_int64_t) :: i
    do i = 1, n
      y(i) = y(i) + a * x(i)
    end do
  end subroutine

  function dot(n, x, y) result(total) bind(c, name='hakaru_vector_dot')
    integer(c_int64_t), value :: n
    real(c_double), intent(in) :: x(n), y(n)
    real(c_double) :: total
    integer(c_int64_t) :: i
    total = 0.0d0
    !$omp simd reduction(+:total)
    do i = 1, n
      total = total + x(i) * y(i)
    end do
  end function

  subroutine polynomial(n, c, x, z) bind(c, name='hakaru_vector_polynomial')
    integer(c_int64_t), value :: n
    real(c_double), intent(in) :: c(0:9), x(n)
    real(c_double), intent(out) :: z(n)
    integer(c_int64_t) :: i
    do i = 1, n
      z(i) = c(0) + x(i) * (c(1) + x(i) * (c(2) + x(i) * (c(3) + x(i) * (c(4) + x(i) * (c(5) &
             + x(i) * (c(6) + x(i) * (c(7) + x(i) * (c(8) + x(i) * c(9)))))))))
    end do
  end subroutine

  subroutine divide(n, x, y, z) bind(c, name='hakaru_vector_divide')
    integer(c_int64_t), value :: n
    real(c_double), intent(in) :: x(n), y(n)
    real(c_double), intent(out) :: z(n)
    integer(c_int64_t) :: i
    do i = 1, n
      z(i) = x(i) / y(i)
    end do
  end subroutine

  ! Places count from 0, as in C++, and are those of the whole vector.
  subroutine gather(n, places, x, z) bind(c, name='hakaru_vector_gather')
    integer(c_int64_t), value :: n
    integer(c_int32_t), intent(in) :: places(n)
    real(c_double), intent(in) :: x(0:*)
    real(c_double), intent(out) :: z(n)
    integer(c_int64_t) :: i
    do i = 1, n
      z(i) = x(places(i))
    end do
  end subroutine

  subroutine scatter(n, places, x, z) bind(c, name='hakaru_vector_scatter')
    integer(c_int64_t), value :: n
    integer(c_int32_t), intent(in) :: places(n)
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(inout) :: z(0:*)
    integer(c_int64_t) :: i
    do i = 1, n
      z(places(i)) = x(i)
    end do
  end subroutine

  subroutine exponential(n, x, z) bind(c, name='hakaru_vector_exponential')
    integer(c_int64_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double), intent(out) :: z(n)
    integer(c_int64_t) :: i
    do i = 1, n
      z(i) = exp(x(i))
    end do
  end subroutine
end module
