! EP as the benchmark states it, one thread, no tricks: a batch of random numbers, then a loop over its pairs.
! Arguments: log2 of the number of pairs, repetitions. Prints for each repetition: random numbers/s, sums of X and Y.
program ep_reference
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: batch_bits = 16, pairs = 2**batch_bits
  integer(int64), parameter :: mask = 2_int64**46 - 1, multiplier = 1220703125_int64
  real(real64), parameter :: scale = 2.0_real64**(-46)
  real(real64) :: numbers(2*pairs), counts(0:11), sum_x, sum_y, seconds
  integer(int64) :: state, begin, finish, clock
  integer :: m, repetitions, repetition, batch
  character(len=16) :: word

  call get_command_argument(1, word); read (word, *) m
  call get_command_argument(2, word); read (word, *) repetitions
  do repetition = 1, repetitions
    call system_clock(begin, clock)
    sum_x = 0; sum_y = 0; counts = 0
    do batch = 0, 2**(m - batch_bits) - 1
      state = iand(271828183_int64*power(2_int64*pairs*batch), mask)
      call generate(state, numbers)
      call tally(numbers, sum_x, sum_y, counts)
    end do
    call system_clock(finish)
    seconds = real(finish - begin, real64)/real(clock, real64)
    print '(es14.6, 2es24.15)', 2.0_real64**(m + 1)/seconds, sum_x, sum_y
  end do

contains

  integer(int64) function power(exponent)
    integer(int64), intent(in) :: exponent
    integer(int64) :: square, left
    power = 1; square = multiplier; left = exponent
    do while (left > 0)
      if (mod(left, 2_int64) == 1) power = iand(power*square, mask)
      square = iand(square*square, mask)
      left = left/2
    end do
  end function

  subroutine generate(state, numbers)
    integer(int64), intent(inout) :: state
    real(real64), intent(out) :: numbers(:)
    integer :: i
    do i = 1, size(numbers)
      state = iand(state*multiplier, mask)
      numbers(i) = scale*real(state, real64)
    end do
  end subroutine

  subroutine tally(numbers, sum_x, sum_y, counts)
    real(real64), intent(in) :: numbers(:)
    real(real64), intent(inout) :: sum_x, sum_y, counts(0:)
    real(real64) :: x, y, t, factor
    integer :: i, bin
    do i = 1, size(numbers)/2
      x = 2*numbers(2*i - 1) - 1
      y = 2*numbers(2*i) - 1
      t = x*x + y*y
      if (t <= 1) then
        factor = sqrt(-2*log(t)/t)
        x = x*factor
        y = y*factor
        bin = int(max(abs(x), abs(y)))
        counts(bin) = counts(bin) + 1
        sum_x = sum_x + x
        sum_y = sum_y + y
      end if
    end do
  end subroutine
end program
