! 3 parts of the time in a module's routine, 1 part in an external one; then a file of 1000 records.
module grid
  implicit none
  integer(8) :: sink = 0
contains
  subroutine smooth(n)
    integer, intent(in) :: n
    integer(8) :: x
    integer :: i
    x = 88172645463325252_8
    do i = 1, n
      x = ieor(x, ishft(x, 13))
      x = ieor(x, ishft(x, -7))
      x = ieor(x, ishft(x, 17))
    end do
    sink = ieor(sink, x)
  end subroutine smooth
end module grid

subroutine outside(n)
  use grid, only: sink
  implicit none
  integer, intent(in) :: n
  integer(8) :: x
  integer :: i
  x = 88172645463325252_8
  do i = 1, n
    x = ieor(x, ishft(x, 13))
    x = ieor(x, ishft(x, -7))
    x = ieor(x, ishft(x, 17))
  end do
  sink = ieor(sink, x)
end subroutine outside

program solver
  use grid
  implicit none
  character(len=32) :: word
  integer :: rounds, i
  call get_command_argument(1, word)
  read (word, *) rounds
  do i = 1, rounds
    call smooth(7500)
    call outside(2500)
  end do
  open (unit=10, file='records.dat', access='stream', form='unformatted', status='replace')
  do i = 1, 1000
    write (10) sink, sink
  end do
  close (10)
end program solver
