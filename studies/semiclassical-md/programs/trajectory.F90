! Trajectories with their stability matrix by the fourth-order symplectic integrator, in double and
! triple loops over the degrees of freedom.
! DEGREES of freedom. STYLE: 0 loops (row, column, sum), 1 loops (column, sum, row), 2 matmul.
! THREADING: 0 none (or what the compiler finds), 1 inside the products, 2 over trajectories.
module dynamics
  implicit none
  integer, parameter :: dp = kind(1d0), n = DEGREES
  real(dp), parameter :: s = 0.57735026918962576d0, coupling = 0.111803d0
  type trajectory
    real(dp) :: q(n), p(n), action
    real(dp) :: qq(n, n), qp(n, n), pq(n, n), pp(n, n)
  end type
  real(dp) :: kinetic(n, n)
contains
  ! c = c + factor a b
  subroutine add_product(factor, a, b, c, work)
    real(dp), intent(in) :: factor, a(n, n), b(n, n)
    real(dp), intent(inout) :: c(n, n), work(n, n)
    integer :: i, j, m
#if STYLE == 0
#if THREADING == 1
    !$omp parallel do private(j, m)
#endif
    do i = 1, n
      do j = 1, n
        work(i, j) = 0
        do m = 1, n
          work(i, j) = work(i, j) + a(i, m) * b(m, j)
        enddo
      enddo
    enddo
#elif STYLE == 1
#if THREADING == 1
    !$omp parallel do private(i, m)
#endif
    do j = 1, n
      do i = 1, n
        work(i, j) = 0
      enddo
      do m = 1, n
        do i = 1, n
          work(i, j) = work(i, j) + a(i, m) * b(m, j)
        enddo
      enddo
    enddo
#else
    work = matmul(a, b)
#endif
    do j = 1, n
      do i = 1, n
        c(i, j) = c(i, j) + factor * work(i, j)
      enddo
    enddo
  end subroutine

  subroutine derivatives(q, v, force, second)
    real(dp), intent(in) :: q(n)
    real(dp), intent(out) :: v, force(n), second(n, n)
    integer :: k
    v = 0
    second = 0
    do k = 1, n
      v = v + 0.5d0 * q(k)**2
      force(k) = -q(k)
      second(k, k) = 1
    enddo
    do k = 1, n - 1
      v = v + coupling * (q(k)**2 * q(k + 1) - q(k + 1)**3 / 3)
      force(k) = force(k) - 2 * coupling * q(k) * q(k + 1)
      force(k + 1) = force(k + 1) - coupling * (q(k)**2 - q(k + 1)**2)
      second(k, k) = second(k, k) + 2 * coupling * q(k + 1)
      second(k + 1, k + 1) = second(k + 1, k + 1) - 2 * coupling * q(k + 1)
      second(k, k + 1) = 2 * coupling * q(k)
      second(k + 1, k) = second(k, k + 1)
    enddo
  end subroutine

  subroutine step(t, dt)
    type(trajectory), intent(inout) :: t
    real(dp), intent(in) :: dt
    real(dp) :: a(4), b(4), v, force(n), second(n, n), work(n, n), velocity(n)
    integer :: k, i, m
    a = [0.5d0 * (1 - s), s, -s, 0.5d0 * (1 + s)] * dt
    b = [0d0, 0.5d0 * (0.5d0 + s), 0.5d0, 0.5d0 * (0.5d0 - s)] * dt
    do k = 1, 4
      if (b(k) /= 0) then
        call derivatives(t%q, v, force, second)
        t%p = t%p + b(k) * force
        t%action = t%action - b(k) * v
        call add_product(-b(k), second, t%qp, t%pp, work)
        call add_product(-b(k), second, t%qq, t%pq, work)
      endif
      do i = 1, n
        velocity(i) = 0
        do m = 1, n
          velocity(i) = velocity(i) + kinetic(i, m) * t%p(m)
        enddo
      enddo
      t%action = t%action + 0.5d0 * a(k) * dot_product(t%p, velocity)
      t%q = t%q + a(k) * velocity
      call add_product(a(k), kinetic, t%pp, t%qp, work)
      call add_product(a(k), kinetic, t%pq, t%qq, work)
    enddo
  end subroutine

  ! So that trajectories differ and stay bounded.
  subroutine begin(t, number)
    type(trajectory), intent(out) :: t
    integer, intent(in) :: number
    integer :: i
    t%action = 0
    t%qq = 0; t%qp = 0; t%pq = 0; t%pp = 0
    do i = 1, n
      t%q(i) = 0.3d0 * sin(1 + 2.3d0 * i + number)
      t%p(i) = 0.3d0 * cos(0.5d0 + 1.7d0 * i + number)
      t%qq(i, i) = 1
      t%pp(i, i) = 1
    enddo
  end subroutine
end module

program main
  use dynamics
  implicit none
  type(trajectory), allocatable :: t(:)
  integer :: trajectories, steps, samples, i, k, sample
  integer(8) :: from, to, rate
  real(dp) :: total
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) trajectories
  call get_command_argument(2, word)
  read (word, *) steps
  call get_command_argument(3, word)
  read (word, *) samples
  allocate (t(trajectories))
  kinetic = 0
  do i = 1, n
    kinetic(i, i) = 1
  enddo
  do sample = 1, samples
    do i = 1, trajectories
      call begin(t(i), i - 1)
    enddo
    call system_clock(from, rate)
#if THREADING == 2
    !$omp parallel do private(k)
#endif
    do i = 1, trajectories
      do k = 1, steps
        call step(t(i), 0.01d0)
      enddo
    enddo
    call system_clock(to)
    print '(a, es24.16)', 'seconds ', real(to - from, dp) / rate / (real(trajectories, dp) * steps)
  enddo
  total = 0
  do i = 1, trajectories
    total = total + sum(t(i)%qq) + sum(t(i)%pp) + sum(t(i)%q) + t(i)%action
  enddo
  print '(a, es24.16)', 'total ', total
end program
