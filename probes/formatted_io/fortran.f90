! The statements that are timed, as a program in Fortran has them; everything around them is C++'s (fortran.cpp).
module formatted_io
  use, intrinsic :: iso_c_binding
  implicit none
  private
  integer, parameter :: integer4 = 0, real4 = 1, real8 = 2, complex8 = 3, complex16 = 4
  integer, parameter :: text = 0, lines = 2, characters = 3
  character(*), parameter :: ten_integers = '(10i10)', four_reals = '(4d24.15)', four_characters = '(4a1)'

  interface
    subroutine mark(watch) bind(c, name='hakaru_formatted_io_mark')
      import :: c_ptr
      type(c_ptr), value :: watch
    end subroutine
  end interface

contains

  function name_of(path, length) result(name)
    character(kind=c_char), intent(in) :: path(*)
    integer(c_int), intent(in) :: length
    character(len=length) :: name
    integer :: i
    do i = 1, length
      name(i:i) = path(i)
    end do
  end function

  ! form: 0 the published formats, 1 unformatted, 2 a statement a line, 3 single characters, (4a1).
  ! Marks before the statement, after it, and after the flush. status: 0, or what went wrong.
  subroutine write_items(path, length, form, kind, count, data, watch, status) bind(c, name='hakaru_fortran_write')
    character(kind=c_char), intent(in) :: path(*)
    integer(c_int), value :: length, form, kind
    integer(c_int64_t), value :: count
    type(c_ptr), value :: data, watch
    integer(c_int), intent(out) :: status
    integer :: unit
    if (form == 1) then
      open (newunit=unit, file=name_of(path, length), form='unformatted', action='write', status='unknown', iostat=status)
    else
      open (newunit=unit, file=name_of(path, length), form='formatted', action='write', status='unknown', iostat=status)
    end if
    if (status /= 0) return
    call mark(watch)
    call write_all(unit, form, kind, count, data, status)
    call mark(watch)
    if (status == 0) flush (unit, iostat=status)
    call mark(watch)
    if (status == 0) then
      close (unit, iostat=status)
    else
      close (unit)
    end if
  end subroutine

  subroutine write_all(unit, form, kind, count, data, status)
    integer, intent(in) :: unit
    integer(c_int), intent(in) :: form, kind
    integer(c_int64_t), intent(in) :: count
    type(c_ptr), intent(in) :: data
    integer(c_int), intent(out) :: status
    integer(c_int32_t), pointer :: i4(:)
    real(c_float), pointer :: r4(:)
    real(c_double), pointer :: r8(:)
    complex(c_float_complex), pointer :: z8(:)
    complex(c_double_complex), pointer :: z16(:)
    character(kind=c_char), pointer :: letters(:)
    integer(c_int64_t) :: first
    status = 0
    if (form == characters) then
      call c_f_pointer(data, letters, [count])
      write (unit, four_characters, iostat=status) letters
      return
    end if
    if (form == lines) then
      call c_f_pointer(data, r8, [count])
      do first = 1, count, 4
        write (unit, four_reals, iostat=status) r8(first:min(first + 3, count))
        if (status /= 0) return
      end do
      return
    end if
    select case (kind)
    case (integer4)
      call c_f_pointer(data, i4, [count])
      if (form == text) write (unit, ten_integers, iostat=status) i4
      if (form /= text) write (unit, iostat=status) i4
    case (real4)
      call c_f_pointer(data, r4, [count])
      if (form == text) write (unit, four_reals, iostat=status) r4
      if (form /= text) write (unit, iostat=status) r4
    case (real8)
      call c_f_pointer(data, r8, [count])
      if (form == text) write (unit, four_reals, iostat=status) r8
      if (form /= text) write (unit, iostat=status) r8
    case (complex8)
      call c_f_pointer(data, z8, [count])
      if (form == text) write (unit, four_reals, iostat=status) z8
      if (form /= text) write (unit, iostat=status) z8
    case (complex16)
      call c_f_pointer(data, z16, [count])
      if (form == text) write (unit, four_reals, iostat=status) z16
      if (form /= text) write (unit, iostat=status) z16
    end select
  end subroutine

  ! As write_items; the third mark follows the second.
  subroutine read_items(path, length, form, kind, count, data, watch, status) bind(c, name='hakaru_fortran_read')
    character(kind=c_char), intent(in) :: path(*)
    integer(c_int), value :: length, form, kind
    integer(c_int64_t), value :: count
    type(c_ptr), value :: data, watch
    integer(c_int), intent(out) :: status
    integer :: unit
    if (form == 1) then
      open (newunit=unit, file=name_of(path, length), form='unformatted', action='read', status='old', iostat=status)
    else
      open (newunit=unit, file=name_of(path, length), form='formatted', action='read', status='old', iostat=status)
    end if
    if (status /= 0) return
    call mark(watch)
    call read_all(unit, form, kind, count, data, status)
    call mark(watch)
    call mark(watch)
    close (unit)
  end subroutine

  subroutine read_all(unit, form, kind, count, data, status)
    integer, intent(in) :: unit
    integer(c_int), intent(in) :: form, kind
    integer(c_int64_t), intent(in) :: count
    type(c_ptr), intent(in) :: data
    integer(c_int), intent(out) :: status
    integer(c_int32_t), pointer :: i4(:)
    real(c_float), pointer :: r4(:)
    real(c_double), pointer :: r8(:)
    complex(c_float_complex), pointer :: z8(:)
    complex(c_double_complex), pointer :: z16(:)
    character(kind=c_char), pointer :: letters(:)
    integer(c_int64_t) :: first
    status = 0
    if (form == characters) then
      call c_f_pointer(data, letters, [count])
      read (unit, four_characters, iostat=status) letters
      return
    end if
    if (form == lines) then
      call c_f_pointer(data, r8, [count])
      do first = 1, count, 4
        read (unit, four_reals, iostat=status) r8(first:min(first + 3, count))
        if (status /= 0) return
      end do
      return
    end if
    select case (kind)
    case (integer4)
      call c_f_pointer(data, i4, [count])
      if (form == text) read (unit, ten_integers, iostat=status) i4
      if (form /= text) read (unit, iostat=status) i4
    case (real4)
      call c_f_pointer(data, r4, [count])
      if (form == text) read (unit, four_reals, iostat=status) r4
      if (form /= text) read (unit, iostat=status) r4
    case (real8)
      call c_f_pointer(data, r8, [count])
      if (form == text) read (unit, four_reals, iostat=status) r8
      if (form /= text) read (unit, iostat=status) r8
    case (complex8)
      call c_f_pointer(data, z8, [count])
      if (form == text) read (unit, four_reals, iostat=status) z8
      if (form /= text) read (unit, iostat=status) z8
    case (complex16)
      call c_f_pointer(data, z16, [count])
      if (form == text) read (unit, four_reals, iostat=status) z16
      if (form /= text) read (unit, iostat=status) z16
    end select
  end subroutine
end module
