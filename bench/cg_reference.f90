! CG as the benchmark states it, one thread, no tricks: compressed rows, one loop for each vector operation.
! Arguments: order, elements of a generating vector, estimates, shift, repetitions.
! Prints for each repetition: seconds, zeta.
program cg_reference
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer(int64), parameter :: mask = 2_int64**46 - 1
  integer(int64) :: state = 314159265_int64, begin, finish, clock
  real(real64), allocatable :: a(:), x(:), z(:), p(:), q(:), r(:)
  integer, allocatable :: columns(:), starts(:)
  real(real64) :: shift, zeta
  integer :: n, nonzer, estimates, repetitions, repetition, estimate

  n = nint(argument(1)); nonzer = nint(argument(2)); estimates = nint(argument(3))
  shift = argument(4); repetitions = nint(argument(5))
  call make_matrix()
  allocate (x(n), z(n), p(n), q(n), r(n))
  do repetition = 1, repetitions
    call system_clock(begin, clock)
    x = 1
    do estimate = 1, estimates
      call solve()
      zeta = shift + 1/dot_product(x, z)
      x = z/sqrt(dot_product(z, z))
    end do
    call system_clock(finish)
    print '(2es24.15)', real(finish - begin, real64)/real(clock, real64), zeta
  end do

contains

  real(real64) function argument(number)
    integer, intent(in) :: number
    character(len=32) :: word
    call get_command_argument(number, word)
    read (word, *) argument
  end function

  real(real64) function random()
    state = iand(state*1220703125_int64, mask)
    random = 2.0_real64**(-46)*real(state, real64)
  end function

  subroutine solve()
    real(real64) :: rho, before, alpha, d, beta, residual
    integer :: step, i
    z = 0; r = x; p = r; rho = 0
    do i = 1, n
      rho = rho + r(i)*r(i)
    end do
    do step = 1, 25
      call multiply(p, q)
      d = 0
      do i = 1, n
        d = d + p(i)*q(i)
      end do
      alpha = rho/d; before = rho; rho = 0
      do i = 1, n
        z(i) = z(i) + alpha*p(i)
        r(i) = r(i) - alpha*q(i)
      end do
      do i = 1, n
        rho = rho + r(i)*r(i)
      end do
      beta = rho/before
      do i = 1, n
        p(i) = r(i) + beta*p(i)
      end do
    end do
    call multiply(z, q)
    residual = sqrt(sum((x - q)**2))
    if (.not. residual < 1) stop 'no solution'
  end subroutine

  subroutine multiply(from, to)
    real(real64), intent(in) :: from(:)
    real(real64), intent(out) :: to(:)
    real(real64) :: s
    integer :: row, k
    do row = 1, n
      s = 0
      do k = starts(row), starts(row + 1) - 1
        s = s + a(k)*from(columns(k))
      end do
      to(row) = s
    end do
  end subroutine

  ! Sum of weighted outer products of sparse vectors; each row is gathered in a full vector.
  subroutine make_matrix()
    integer, allocatable :: places(:, :), lengths(:), heads(:), next(:), owners(:), used(:)
    real(real64), allocatable :: values(:, :), weights(:), full(:)
    real(real64) :: value
    integer :: i, k, place, power_of_two, entry, entries, row, column, filled, count
    allocate (places(nonzer + 1, n), values(nonzer + 1, n), lengths(n), weights(n))
    allocate (heads(n), next((nonzer + 1)*n), owners((nonzer + 1)*n), full(n), used(n))
    power_of_two = 1
    do while (power_of_two < n)
      power_of_two = 2*power_of_two
    end do
    value = random()
    do i = 1, n
      lengths(i) = 0
      do while (lengths(i) < nonzer)
        value = random()
        place = int(power_of_two*random()) + 1
        if (place > n) cycle
        if (any(places(1:lengths(i), i) == place)) cycle
        lengths(i) = lengths(i) + 1
        places(lengths(i), i) = place
        values(lengths(i), i) = value
      end do
      do k = 1, lengths(i)
        if (places(k, i) == i) exit
      end do
      if (k > lengths(i)) lengths(i) = k
      places(k, i) = i
      values(k, i) = 0.5_real64
      weights(i) = 0.1_real64**(real(i - 1, real64)/n)
    end do
    heads = 0; entries = 0
    do i = n, 1, -1
      do k = 1, lengths(i)
        entries = entries + 1
        owners(entries) = i
        next(entries) = heads(places(k, i))
        heads(places(k, i)) = entries
      end do
    end do
    allocate (starts(n + 1), a(n*(nonzer + 1)**2), columns(n*(nonzer + 1)**2))
    full = 0; used = 0; filled = 0; starts(1) = 1
    do row = 1, n
      count = 0
      entry = heads(row)
      do while (entry > 0)
        i = owners(entry)
        do k = 1, lengths(i)
          if (places(k, i) == row) value = weights(i)*values(k, i)
        end do
        do k = 1, lengths(i)
          column = places(k, i)
          if (full(column) == 0) then
            count = count + 1
            used(count) = column
          end if
          full(column) = full(column) + value*values(k, i)
        end do
        entry = next(entry)
      end do
      full(row) = full(row) + 0.1_real64 - shift
      call sort(used(1:count))
      do k = 1, count
        filled = filled + 1
        columns(filled) = used(k)
        a(filled) = full(used(k))
        full(used(k)) = 0
      end do
      starts(row + 1) = filled + 1
    end do
  end subroutine

  subroutine sort(list)
    integer, intent(inout) :: list(:)
    integer :: i, j, item
    do i = 2, size(list)
      item = list(i)
      do j = i - 1, 1, -1
        if (list(j) <= item) exit
        list(j + 1) = list(j)
      end do
      list(j + 1) = item
    end do
  end subroutine
end program
