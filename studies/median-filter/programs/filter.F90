! The same in Fortran: FUNCTION puts the filter into a subroutine, SORTED begins the inner loop behind the outer one.
#ifdef REAL_VALUES
#define VALUES real(c_double)
#else
#define VALUES integer(c_int32_t)
#endif
#ifdef SORTED
#define INNER_FIRST i + 1
#else
#define INNER_FIRST 2
#endif
module median
  use iso_c_binding
  use omp_lib
  implicit none
  integer, parameter :: n = IMAGE, mask = MASK, half = MASK / 2, listed = MASK**3
  interface
    function allocated_c(kind) bind(c, name='allocated')
      import c_ptr, c_int
      integer(c_int), value :: kind
      type(c_ptr) :: allocated_c
    end function
    subroutine make_image(image) bind(c)
      import c_ptr
      type(c_ptr), value :: image
    end subroutine
    subroutine report(image, median) bind(c)
      import c_ptr
      type(c_ptr), value :: image, median
    end subroutine
    subroutine print_sample(wall_s, processor_s) bind(c)
      import c_double
      real(c_double), value :: wall_s, processor_s
    end subroutine
  end interface
#ifdef FUNCTION
contains
  subroutine filter(image, filtered)
    VALUES, intent(in) :: image(0:n-1, 0:n-1, 0:n-1)
    VALUES, intent(inout) :: filtered(0:n-1, 0:n-1, 0:n-1)
    VALUES :: list(listed), kept
    integer :: x, y, z, xx, yy, zz, i, j, k
#include "loops.inc"
  end subroutine
#endif
end module

program main
  use median
  implicit none
  VALUES, pointer :: image(:, :, :), filtered(:, :, :)
  VALUES :: list(listed), kept
  integer :: x, y, z, xx, yy, zz, i, j, k
  type(c_ptr) :: image_at, filtered_at
  integer :: samples, kind, threads, sample
  real(c_double) :: wall, processor_begin, processor_end
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) samples
  call get_command_argument(2, word)
  read (word, *) kind
  call get_command_argument(3, word)
  read (word, *) threads
  image_at = allocated_c(int(kind, c_int))
  filtered_at = allocated_c(int(kind, c_int))
  call c_f_pointer(image_at, image, [n, n, n])
  call c_f_pointer(filtered_at, filtered, [n, n, n])
  image(0:, 0:, 0:) => image
  filtered(0:, 0:, 0:) => filtered
  call omp_set_num_threads(threads)
  call make_image(image_at)
  do sample = 1, samples
    wall = omp_get_wtime()
    call cpu_time(processor_begin)
#ifdef FUNCTION
    call filter(image, filtered)
#else
#include "loops.inc"
#endif
    call cpu_time(processor_end)
    call print_sample(omp_get_wtime() - wall, processor_end - processor_begin)
  end do
  call report(image_at, filtered_at)
end program
