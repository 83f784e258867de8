! The Wilson operator in the style of a module of field operators: y = x - kappa sum_mu of shifted,
! multiplied and added fields. FUNCTIONS: operators are functions that return fields; otherwise
! subroutines. COLOUR_OUTER: the loop over colours is the outermost; otherwise the innermost.
! EXTENT sites along each axis.
#ifdef COLOUR_OUTER
#define LOOPS do ic = 1, nc; do is = 1, 4; do it = 1, n; do iz = 1, n; do iy = 1, n; do ix = 1, n
#else
#define LOOPS do is = 1, 4; do it = 1, n; do iz = 1, n; do iy = 1, n; do ix = 1, n; do ic = 1, nc
#endif
#define END_LOOPS enddo; enddo; enddo; enddo; enddo; enddo

module fields
  implicit none
  integer, parameter :: dp = kind(1d0), nc = 3, n = EXTENT
  complex(dp), parameter :: i1 = (0d0, 1d0), r1 = (1d0, 0d0)
  ! (colour, x, y, z, t, spin) with a layer of neighbours
  type f_field
    sequence
    complex(dp) :: f(nc, 0:n+1, 0:n+1, 0:n+1, 0:n+1, 4)
  end type
  ! The links of one direction, and the sign of its gamma matrix
  type hop_field
    sequence
    complex(dp) :: g(nc, nc, n, n, n, n)
    integer :: axis, sign
  end type
  ! (gamma_mu x)_s = phase(s, mu) x_partner(s, mu), chiral basis
  integer, parameter :: partner(4, 4) = reshape([4, 3, 2, 1, 4, 3, 2, 1, 3, 4, 1, 2, 3, 4, 1, 2], [4, 4])
  complex(dp), parameter :: phase(4, 4) = reshape([-i1, -i1, i1, i1, -r1, r1, r1, -r1, &
                                                   -i1, i1, i1, -i1, -r1, -r1, -r1, -r1], [4, 4])
  interface operator(+)
    module procedure fadd
  end interface
  interface operator(*)
    module procedure dmul, smul
  end interface
  interface operator(.fshift.)
    module procedure fshift
  end interface
contains
  function fadd(a, b) result(c)
    type(f_field), intent(in) :: a, b
    type(f_field) :: c
    integer :: ic, is, ix, iy, iz, it
    LOOPS
      c%f(ic, ix, iy, iz, it, is) = a%f(ic, ix, iy, iz, it, is) + b%f(ic, ix, iy, iz, it, is)
    END_LOOPS
  end function

  subroutine sub_fadd(a, b, c)
    type(f_field), intent(in) :: a, b
    type(f_field), intent(inout) :: c
    integer :: ic, is, ix, iy, iz, it
    LOOPS
      c%f(ic, ix, iy, iz, it, is) = a%f(ic, ix, iy, iz, it, is) + b%f(ic, ix, iy, iz, it, is)
    END_LOOPS
  end subroutine

  function smul(s, a) result(c)
    real(dp), intent(in) :: s
    type(f_field), intent(in) :: a
    type(f_field) :: c
    integer :: ic, is, ix, iy, iz, it
    LOOPS
      c%f(ic, ix, iy, iz, it, is) = s * a%f(ic, ix, iy, iz, it, is)
    END_LOOPS
  end function

  subroutine sub_smul(s, a, c)
    real(dp), intent(in) :: s
    type(f_field), intent(in) :: a
    type(f_field), intent(inout) :: c
    integer :: ic, is, ix, iy, iz, it
    LOOPS
      c%f(ic, ix, iy, iz, it, is) = s * a%f(ic, ix, iy, iz, it, is)
    END_LOOPS
  end subroutine

  ! c(x) = a(x + mu) for nu = mu, a(x - mu) for nu = -mu
  function fshift(nu, a) result(c)
    integer, intent(in) :: nu
    type(f_field), intent(in) :: a
    type(f_field) :: c
    integer :: ic, is, ix, iy, iz, it, d(4)
    d = 0
    d(abs(nu)) = sign(1, nu)
    LOOPS
      c%f(ic, ix, iy, iz, it, is) = a%f(ic, ix + d(1), iy + d(2), iz + d(3), it + d(4), is)
    END_LOOPS
  end function

  subroutine sub_fshift(nu, a, c)
    integer, intent(in) :: nu
    type(f_field), intent(in) :: a
    type(f_field), intent(inout) :: c
    integer :: ic, is, ix, iy, iz, it, d(4)
    d = 0
    d(abs(nu)) = sign(1, nu)
    LOOPS
      c%f(ic, ix, iy, iz, it, is) = a%f(ic, ix + d(1), iy + d(2), iz + d(3), it + d(4), is)
    END_LOOPS
  end subroutine

  ! (1 + sign gamma) U a
  function dmul(h, a) result(c)
    type(hop_field), intent(in) :: h
    type(f_field), intent(in) :: a
    type(f_field) :: c
    integer :: ic, is, ix, iy, iz, it, ps
    complex(dp) :: w
    LOOPS
      ps = partner(is, h%axis)
      w = h%sign * phase(is, h%axis)
      c%f(ic, ix, iy, iz, it, is) = &
        h%g(ic, 1, ix, iy, iz, it) * (a%f(1, ix, iy, iz, it, is) + w * a%f(1, ix, iy, iz, it, ps)) + &
        h%g(ic, 2, ix, iy, iz, it) * (a%f(2, ix, iy, iz, it, is) + w * a%f(2, ix, iy, iz, it, ps)) + &
        h%g(ic, 3, ix, iy, iz, it) * (a%f(3, ix, iy, iz, it, is) + w * a%f(3, ix, iy, iz, it, ps))
    END_LOOPS
  end function

  subroutine sub_dmul(h, a, c)
    type(hop_field), intent(in) :: h
    type(f_field), intent(in) :: a
    type(f_field), intent(inout) :: c
    integer :: ic, is, ix, iy, iz, it, ps
    complex(dp) :: w
    LOOPS
      ps = partner(is, h%axis)
      w = h%sign * phase(is, h%axis)
      c%f(ic, ix, iy, iz, it, is) = &
        h%g(ic, 1, ix, iy, iz, it) * (a%f(1, ix, iy, iz, it, is) + w * a%f(1, ix, iy, iz, it, ps)) + &
        h%g(ic, 2, ix, iy, iz, it) * (a%f(2, ix, iy, iz, it, is) + w * a%f(2, ix, iy, iz, it, ps)) + &
        h%g(ic, 3, ix, iy, iz, it) * (a%f(3, ix, iy, iz, it, is) + w * a%f(3, ix, iy, iz, it, ps))
    END_LOOPS
  end subroutine

  subroutine set_neighbours(a)
    type(f_field), intent(inout) :: a
    a%f(:, 0, :, :, :, :) = a%f(:, n, :, :, :, :)
    a%f(:, n+1, :, :, :, :) = a%f(:, 1, :, :, :, :)
    a%f(:, :, 0, :, :, :) = a%f(:, :, n, :, :, :)
    a%f(:, :, n+1, :, :, :) = a%f(:, :, 1, :, :, :)
    a%f(:, :, :, 0, :, :) = a%f(:, :, :, n, :, :)
    a%f(:, :, :, n+1, :, :) = a%f(:, :, :, 1, :, :)
    a%f(:, :, :, :, 0, :) = a%f(:, :, :, :, n, :)
    a%f(:, :, :, :, n+1, :) = a%f(:, :, :, :, 1, :)
  end subroutine
end module

module wilson
  use fields
  implicit none
  real(dp), parameter :: kappa = 0.12d0
  type(hop_field) :: ahead(4), behind(4)
contains
#ifdef FUNCTIONS
  function wxvect(x) result(y)
    type(f_field), intent(inout) :: x
    type(f_field) :: y
    type(f_field), save :: temp, temp1, temp2
    integer :: nu
    call set_neighbours(x)
    temp1 = 1 .fshift. x
    temp2 = (-1) .fshift. x
    temp = (ahead(1) * temp1) + (behind(1) * temp2)
    do nu = 2, 4
      temp1 = nu .fshift. x
      temp2 = (-nu) .fshift. x
      temp = temp + ((ahead(nu) * temp1) + (behind(nu) * temp2))
    enddo
    y = x + ((-kappa) * temp)
  end function
#else
  subroutine xwxvect(x, y)
    type(f_field), intent(inout) :: x, y
    type(f_field), save :: temp, temp1, temp2, temp3
    integer :: nu
    call set_neighbours(x)
    do nu = 1, 4
      call sub_fshift(nu, x, temp1)
      call sub_dmul(ahead(nu), temp1, temp2)
      call sub_fshift(-nu, x, temp1)
      call sub_dmul(behind(nu), temp1, temp3)
      if (nu == 1) then
        call sub_fadd(temp2, temp3, temp)
      else
        call sub_fadd(temp2, temp3, temp2)
        call sub_fadd(temp, temp2, temp)
      endif
    enddo
    call sub_smul(-kappa, temp, temp1)
    call sub_fadd(x, temp1, y)
  end subroutine
#endif
end module

program main
  use wilson
  implicit none
  interface
    subroutine counted_reset() bind(c)
    end subroutine
    subroutine counted_print(applications) bind(c)
      use iso_c_binding
      integer(c_int), value :: applications
    end subroutine
  end interface
  type(f_field), save :: x, y
  integer :: applications, samples, i, k
  integer(8) :: begin, end, rate
  real(dp) :: norm
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) applications
  call get_command_argument(2, word)
  read (word, *) samples
  call make_links()
  call make_source()
  call counted_reset()
  do k = 1, samples
    call system_clock(begin, rate)
    do i = 1, applications
#ifdef FUNCTIONS
      y = wxvect(x)
#else
      call xwxvect(x, y)
#endif
    enddo
    call system_clock(end)
    print '(a, es24.16)', 'seconds ', real(end - begin, dp) / rate / applications
  enddo
  call counted_print(applications * samples)
  norm = sum(abs(y%f(:, 1:n, 1:n, 1:n, 1:n, :))**2)
  print '(a, es24.16)', 'norm ', norm
contains
  ! Numbers that look random and are the same in every language.
  function number(at) result(value)
    integer(8), intent(in) :: at
    real(dp) :: value
    value = real(mod(at * 7919_8 + 104729_8, 65521_8), dp) / 65521d0 - 0.5d0
  end function

  subroutine make_links()
    integer :: mu, ix, iy, iz, it, a, b, at(4)
    integer(8) :: place
    complex(dp) :: u(nc, nc, n, n, n, n, 4)
    do mu = 1, 4; do it = 1, n; do iz = 1, n; do iy = 1, n; do ix = 1, n; do b = 1, nc; do a = 1, nc
      place = a - 1 + 3 * (b - 1 + 3 * (ix - 1 + n * (iy - 1 + n * (iz - 1 + n * (it - 1 + n * int(mu - 1, 8))))))
      u(a, b, ix, iy, iz, it, mu) = cmplx(number(2 * place), number(2 * place + 1), dp)
    enddo; enddo; enddo; enddo; enddo; enddo; enddo
    do mu = 1, 4
      ahead(mu)%g = u(:, :, :, :, :, :, mu)
      ahead(mu)%axis = mu
      ahead(mu)%sign = -1
      behind(mu)%axis = mu
      behind(mu)%sign = 1
      do it = 1, n; do iz = 1, n; do iy = 1, n; do ix = 1, n
        at = [ix, iy, iz, it]
        at(mu) = merge(n, at(mu) - 1, at(mu) == 1)
        behind(mu)%g(:, :, ix, iy, iz, it) = &
          conjg(transpose(u(:, :, at(1), at(2), at(3), at(4), mu)))
      enddo; enddo; enddo; enddo
    enddo
  end subroutine

  subroutine make_source()
    integer :: ic, is, ix, iy, iz, it
    integer(8) :: place
    x%f = 0
    do is = 1, 4; do it = 1, n; do iz = 1, n; do iy = 1, n; do ix = 1, n; do ic = 1, nc
      place = 1000003 + ic - 1 + 3 * (ix - 1 + n * (iy - 1 + n * (iz - 1 + n * (it - 1 + n * int(is - 1, 8)))))
      x%f(ic, ix, iy, iz, it, is) = cmplx(number(2 * place), number(2 * place + 1), dp)
    enddo; enddo; enddo; enddo; enddo; enddo
  end subroutine
end program
